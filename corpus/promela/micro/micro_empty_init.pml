/* MICRO empty_init: empty init */
init { true }
