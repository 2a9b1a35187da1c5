autocmd BufRead,BufNewFile *.gcl setfiletype gcl
autocmd BufRead,BufNewFile *.pml,*.prom,*.promela setfiletype promela
autocmd BufRead,BufNewFile *.kmts setfiletype kmts
autocmd BufRead,BufNewFile *.smv setfiletype smv
