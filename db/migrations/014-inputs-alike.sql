-- migration 14: whether results that a kernel remembers could have been seen
ALTER TABLE winners ADD COLUMN inputs TEXT CHECK (inputs IN ('changed', 'alike'));
