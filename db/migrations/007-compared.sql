-- migration 7: how many results of a winner's runs were compared with what is right
ALTER TABLE winners ADD COLUMN compared INTEGER;
