rank-profile collect inherits default {
    # what the training data were logged with
    match-features {
        title_query
        body_query
        recency
        user_rating
    }
}
