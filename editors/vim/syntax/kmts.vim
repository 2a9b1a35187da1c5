" Syntax of partial structures.
if exists("b:current_syntax")
  finish
endif

syn keyword kmtsDeclaration actions fair init lattice mixed owner params property props state strict total
hi def link kmtsDeclaration Keyword
syn match kmtsComment "#.*$"
hi def link kmtsComment Comment
syn match kmtsEdge "-\(must\|may\|hyper\|mustonly\|hyperonly\|\[[^]]*\]\)\(:[^ -]\+\)\?->"
hi def link kmtsEdge Operator
syn match kmtsValue ":\s*\zs[[:alnum:]_?]\+"
hi def link kmtsValue Constant
syn region kmtsString start=+"+ skip=+\\"+ end=+"+ oneline
hi def link kmtsString String

let b:current_syntax = "kmts"
