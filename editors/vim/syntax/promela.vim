" Syntax of Promela.
if exists("b:current_syntax")
  finish
endif

syn keyword promelaControl active atomic break d_step do else fi for goto if od of priority provided return select unless
hi def link promelaControl Conditional
syn keyword promelaStatement assert eval get_priority printf printm run set_priority skip xr xs
hi def link promelaStatement Statement
syn keyword promelaDeclaration D_proctype c_code c_decl c_expr c_state c_track init inline ltl never notrace proctype trace typedef
hi def link promelaDeclaration Keyword
syn keyword promelaOperator empty enabled full len nempty nfull np_ pc_value timeout
hi def link promelaOperator Operator
syn keyword promelaType bit bool byte chan hidden int local mtype pid short show unsigned
hi def link promelaType Type
syn keyword promelaConstant false true
hi def link promelaConstant Constant
syn match promelaComment "//.*$"
syn region promelaComment start="/\*" end="\*/"
hi def link promelaComment Comment
syn match promelaNumber "\<\d\+\>"
hi def link promelaNumber Number
syn region promelaString start=+"+ skip=+\\"+ end=+"+ oneline
hi def link promelaString String
syn match promelaDirective "^\s*#\s*\w\+"
hi def link promelaDirective PreProc

let b:current_syntax = "promela"
