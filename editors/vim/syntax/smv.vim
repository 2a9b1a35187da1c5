" Syntax of SMV models, as NuSMV and nuXmv read them.
if exists("b:current_syntax")
  finish
endif

" `-` may be part of a name.
setlocal iskeyword=@,48-57,_,$,#,-
syn keyword smvDeclaration MODULE DEFINE MDEFINE CONSTANTS VAR IVAR FROZENVAR INIT TRANS INVAR SPEC CTLSPEC LTLSPEC PSLSPEC COMPUTE INVARSPEC FAIRNESS JUSTICE COMPASSION ISA ASSIGN CONSTRAINT SIMPWFF CTLWFF LTLWFF PSLWFF COMPWFF MIRROR PRED NAME IN MIN MAX
hi def link smvDeclaration Keyword
syn keyword smvType process array of boolean integer real word
hi def link smvType Type
syn keyword smvOperator PREDICATES word1 bool signed unsigned extend resize sizeof uwconst swconst EX AX EF AF EG AG E F O G H X Y Z A U S V T BU EBF ABF EBG ABG case esac mod next init union in xor xnor count abs max min
hi def link smvOperator Operator
syn keyword smvConstant TRUE FALSE self
hi def link smvConstant Constant
syn match smvNumber "\<\d\+\>"
syn match smvNumber "\<0[us]\?[bodhBODH]\d*_[0-9a-fA-F_]\+\>"
hi def link smvNumber Number
syn match smvComment "--.*$"
syn region smvComment start="/--" end="--/"
hi def link smvComment Comment

let b:current_syntax = "smv"
