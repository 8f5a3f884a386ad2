-- PostgreSQL would plan each row's statement anew: here every parameter is an array, one element per account, none twice.
-- The rules are those of remember.sql.
INSERT INTO accounts (id, name, website, street, city, region, postcode, country, updated_at)
SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (id) DO UPDATE SET
    name = excluded.name,
    website = excluded.website,
    street = excluded.street,
    city = excluded.city,
    region = excluded.region,
    postcode = excluded.postcode,
    country = excluded.country,
    updated_at = excluded.updated_at
WHERE excluded.name <> accounts.name
   OR excluded.website <> accounts.website
   OR excluded.street <> accounts.street
   OR excluded.city <> accounts.city
   OR excluded.region <> accounts.region
   OR excluded.postcode <> accounts.postcode
   OR excluded.country <> accounts.country
