" Syntax of guarded commands.
if exists("b:current_syntax")
  finish
endif

syn keyword gclControl atomic choose do else goto if in loop of stop then when while
hi def link gclControl Conditional
syn keyword gclStatement assert assume await skip
hi def link gclStatement Statement
syn keyword gclDeclaration const define environment fair function init keep predicate process property spotlight strong system type var
hi def link gclDeclaration Keyword
syn keyword gclOperator and div mod not or
hi def link gclOperator Operator
syn keyword gclType array bool int nat
hi def link gclType Type
syn keyword gclConstant deadlock false true
hi def link gclConstant Constant
" Words that are names where nothing else is meant.
syn match gclQuantifier "\<\(forall\|exists\|sum\|min\|max\|count\)\ze\s\+\h\w*\s*\(in\>\|!=\)"
hi def link gclQuantifier Keyword
syn match gclBuiltIn "\<\(bits\|card\|len\|min\|max\)\ze\s*("
hi def link gclBuiltIn Function
syn match gclLoop "\<for\ze\s\+\h\w*\s\+in\>"
hi def link gclLoop Repeat
syn match gclSoftDeclaration "\<\(chan\|invariant\|procedure\)\ze\s\+\h"
syn match gclSoftDeclaration "\<import\ze\s*\""
syn match gclSoftDeclaration "\<capacity\ze\s\+[0-9A-Za-z_(]"
hi def link gclSoftDeclaration Keyword
syn match gclSoftType "\<bits\ze\s*\["
syn match gclSoftType "\<record\ze\s*{"
syn match gclSoftType "\<set\ze\s\+of\>"
hi def link gclSoftType Type
syn match gclComment "//.*$"
syn region gclComment start="/\*" end="\*/"
hi def link gclComment Comment
syn match gclNumber "\<\d\+\>"
hi def link gclNumber Number
syn region gclString start=+"+ skip=+\\"+ end=+"+ oneline
hi def link gclString String

let b:current_syntax = "gcl"
