"""select: the main job."""
