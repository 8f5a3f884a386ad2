INSERT INTO dual_vendors (month, account, category, second_signal, first_signal, first_since, second_since, is_new,
                          certainty, rule_set, evidence)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
