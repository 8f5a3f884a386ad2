//! How sure must a match of two accounts be?

use super::section;

section! {
    /// Which client account is which organisation.
    Matching {
        /// The strategies in order; each sees only what the ones before it left.
        strategies: Vec<String> =
            ["exact_phone", "exact_name_location", "fuzzy_name_address", "model"].map(str::to_owned).to_vec(),
        /// A match below this is not taken.
        #[schemars(range(min = 0, max = 1))]
        confidence_threshold: f64 = 0.7,
        /// The confidence of an equal phone number.
        #[schemars(range(min = 0, max = 1))]
        exact_phone_confidence: f64 = 0.95,
        /// The confidence of an equal name and place.
        #[schemars(range(min = 0, max = 1))]
        exact_name_location_confidence: f64 = 0.90,
        /// The most that a similar name and address may count.
        #[schemars(range(min = 0, max = 1))]
        fuzzy_max_confidence: f64 = 0.85,
        /// The most that the model may count, so that it never outranks an equal phone number.
        #[schemars(range(min = 0, max = 1))]
        model_max_confidence: f64 = 0.90,
        /// The least score, of 100, of a similar name and address or of the model.
        #[schemars(range(min = 0, max = 150))]
        min_score: f64 = 70.0,
        /// Below this similarity of the names, of 100, nothing else is compared.
        #[schemars(range(min = 0, max = 100))]
        name_floor: f64 = 50.0,
        /// From this score on the search ends.
        #[schemars(range(min = 0, max = 150))]
        good_enough_score: f64 = 95.0,
        /// What an equal city adds to a score.
        #[schemars(range(min = 0, max = 100))]
        city_bonus: f64 = 15.0,
        /// What an equal start of the postal code adds to a score.
        #[schemars(range(min = 0, max = 100))]
        zip_bonus: f64 = 15.0,
        /// How much a similar street counts.
        #[schemars(range(min = 0, max = 1))]
        street_weight: f64 = 0.2,
        /// States that are compared at once.
        #[schemars(range(min = 1, max = 1000))]
        max_workers: u32 = 8,
        /// Normalised names that are remembered.
        #[schemars(range(max = 100000000))]
        cache_entries: u32 = 10_000,
        /// The model that decides the rest.
        forest: Forest = Forest::default(),
    }
}

section! {
    /// The model that decides the rest.
    Forest {
        /// How many trees.
        #[schemars(range(min = 1, max = 10000))]
        trees: u32 = 100,
        /// How deep a tree may grow.
        #[schemars(range(min = 1, max = 100))]
        max_depth: u32 = 10,
        /// The fewest samples that a node is split for.
        #[schemars(range(min = 2, max = 1000000))]
        min_samples_split: u32 = 5,
        /// The fewest samples in a leaf.
        #[schemars(range(min = 1, max = 1000000))]
        min_samples_leaf: u32 = 2,
        /// What its chance starts from, so that a training can be repeated.
        seed: u64 = 42,
        /// The share of labelled pairs that is held out to test it.
        #[schemars(range(min = 0.01, max = 0.99))]
        test_fraction: f64 = 0.2,
    }
}
