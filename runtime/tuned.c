int tuned_placeholder;
