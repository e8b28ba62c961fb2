rank-profile my_linear_model {
    match-features {
        body_query
        user_rating
    }
    first-phase {
        expression {
            0.5 * ((body_query - 0.0) / 20.0) +
            (-0.25) * ((user_rating - 6.5) / 1.5)
        }
    }
}
