-- migration 10: the clusters of launches, and whether they are cooperative; points find what was raced for others by an index
ALTER TABLE resources ADD COLUMN cluster_x INTEGER;
ALTER TABLE resources ADD COLUMN cluster_y INTEGER;
ALTER TABLE resources ADD COLUMN cluster_z INTEGER;
ALTER TABLE resources ADD COLUMN cooperative INTEGER;
