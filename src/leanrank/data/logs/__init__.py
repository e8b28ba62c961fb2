"""Search engines' responses: logged features to judged data, timings to costs."""
