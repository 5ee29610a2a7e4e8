; WINDFALL: a game for one paddle.
;
; A magpie shakes the fruit from the trees; the player moves a basket below and
; catches it, and throws pebbles at the wasps that come down with it. README.md
; tells how it is played and what RAM holds.
;
;   dasm windfall.asm -f3 -owindfall.bin

        processor 6502
        include "vcs.inc"

SLOTS   = 5             ; things that fall, one below the other
PITCH   = 16            ; rows from one to the next; a row is two lines
ROWS    = 66            ; rows of the orchard; fruit is seen from row 2 on
BASKET  = 60            ; first row of the basket
NONE    = $C0           ; row of an object that is not there
LEFT    = 16            ; where the magpie turns
RIGHT   = 132
QUOTA   = 12            ; fruit of a level
PATIENCE = 4            ; fruit that may be missed, less one
EDGE    = 136           ; last pixel of what falls
FASTEST = 20            ; level from which on it gets no faster

ATTRACT = 0             ; values of `state`
PLAYING = 1
OVER    = 2

NOTHING = 0             ; kinds of things
APPLE   = 1
PEAR    = 2
CHERRY  = 3
WASP    = 4

GALE    = 1             ; bits of `mode`
WASPS   = 2

PLOP    = 1             ; sound effects
SPLAT   = 2
FLING   = 3
STING   = 4
FANFARE = 5
BUZZ    = 6

; ---------------------------------------------------------------- memory
        seg.u ram
        org $80
frame   ds 1            ; counts television frames
state   ds 1            ; ATTRACT, PLAYING, OVER
mode    ds 1            ; 0 to 3
lives   ds 1            ; baskets left, the one in use included
score   ds 3            ; BCD, high byte first
level   ds 1            ; from 1
caught  ds 1            ; fruit caught in this level
missed  ds 1            ; fruit missed since the last life began
basketX ds 1            ; left pixel of the basket
paddle  ds 1            ; lines on which the paddle's capacitor was charged
phase   ds 1            ; rows the things have fallen since the last drop
fall    ds 1            ; and 1/256 rows
birdX   ds 1            ; left pixel of the magpie
birdV   ds 1            ; 0 flies right, 8 left (as REFP1 wants it)
itemX   ds SLOTS        ; left pixel of each thing, the highest first
itemK   ds SLOTS        ; its kind
shotX   ds 1
shotY   ds 1            ; row of the pebble, NONE without one
acornX  ds 1
acornY  ds 1            ; top row of the acorn, NONE without one
acornT  ds 1            ; frames until the next one
wind    ds 1            ; 1 or -1
pause   ds 1            ; frames without fruit after a life is lost
rng     ds 2            ; shift register, moves every frame
switch  ds 1            ; SWCHB of the frame before
shown   ds 1            ; frames the number of the mode is still shown
sound   ds 2            ; effect of channel 0 and 1
soundT  ds 2            ; frames left of it
itemPos ds SLOTS        ; fine and coarse position
itemGfx ds SLOTS        ; low address of the picture
itemCol ds SLOTS        ; colour
place   ds 2            ; fine and coarse position of basket and magpie
hue     ds 1            ; of the sky
wide    ds 1            ; NUSIZ0: width of the basket
temp    ds 1
six     ds 12           ; pointers of the score line; the orchard reuses them
sixRow  ds 1
sixLast ds 1

        seg.u orchard   ; used while the orchard is drawn
        org six
slot    ds 1
row     ds 1            ; the row that is made ready
gfx0    ds 1
sky     ds 1
shotOn  ds 1
acornOn ds 1
gfx1    ds 2            ; pointer to the picture of the thing
first   ds 1            ; its row to begin with

; The paddle is read once in each line. The count of charged lines grows the
; farther the paddle is turned to the right.
        mac poll                ; 6 or 10 cycles
        bit INPT0
        bpl .flat
        inc paddle
.flat
        endm
        mac pollflat            ; always 13 cycles
        lda INPT0
        asl
        lda paddle
        adc #0
        sta paddle
        endm

; ---------------------------------------------------------------- start
        seg code
        org $F000

Start   sei
        cld
        ldx #$FF
        txs
        lda #0
.clear  sta 0,x                 ; registers and memory
        dex
        bne .clear
        sta 0
        lda #$A7
        sta rng
        lda #$1D
        sta rng+1
        dec switch
        jsr NewGame
        lda #ATTRACT
        sta state

; ---------------------------------------------------------------- a frame
Frame   lda #2
        sta WSYNC
        sta VSYNC
        sta WSYNC
        sta WSYNC
        lda #0
        sta WSYNC
        sta VSYNC
        lda #43
        sta TIM64T

        inc frame
        jsr Random
        jsr Basket
        lda state
        cmp #PLAYING
        bne .still
        jsr Shot
        jsr Acorn
        jsr Fall
.still  jsr Magpie
        jsr Picture

        lda shotX
        ldx #2
        jsr Place
        lda acornX
        ldx #4
        jsr Place
        jsr SixPlace
        sta WSYNC
        sta HMOVE
        lda #0
        sta paddle

.wait   lda INTIM
        bne .wait
        lda #$80
        sta WSYNC
        sta VBLANK              ; picture on, the paddle still grounded
        jmp Draw

Drawn   lda #2
        sta WSYNC
        sta VBLANK              ; picture off
        ldx #18                 ; the far left of the paddle's range
.far    poll
        sta WSYNC
        dex
        bne .far
        lda #$82
        sta VBLANK              ; ground the paddle
        lda #17
        sta TIM64T
        jsr Switches
        lda switch
        lsr
        bcc .quiet              ; RESET is held
        lda state
        cmp #PLAYING
        bne .quiet
        jsr Hits
.quiet  jsr Sounds
        jsr Title
        sta CXCLR
.rest   lda INTIM
        bne .rest
        jmp Frame

; ---------------------------------------------------------------- picture
; 192 lines: 16 of score, 12 of leaves, 18 of the magpie, 132 of orchard and 14
; of ground with lives and missed fruit.
Draw    lda #$C0
        sta COLUBK
        lda #0
        sta REFP0
        sta REFP1
        lda #$0E
        sta COLUP0
        sta COLUP1
        sta WSYNC
        jsr SixDraw
        lda #0
        sta VBLANK              ; the paddle's capacitor begins to charge
        lda #$80                ; with an HMOVE in cycle 74 this means "stay"
        sta HMM0
        sta HMM1
        sta HMBL
        ldx #1                  ; magpie, then basket
.place  sta WSYNC
        lda place,x
        sta HMP0,x
        and #$0F
        tay                     ; 12
        nop
.coarse dey
        bpl .coarse             ; 18 and 5 for every round
        sta RESP0,x             ; 22: pixel 3, and 15 for every round
        dex
        bpl .place
        sta WSYNC
        lda wide
        sta NUSIZ0
        lda #5                  ; the magpie is twice as wide
        sta NUSIZ1
        lda birdV
        sta REFP1               ; 17
        ldx #10
.late   dex
        bne .late               ; 68
        bit temp                ; 71
        sta HMOVE               ; 74: so late that no line begins with a black comb
        lda #$2A
        sta COLUP0
        lda #$21                ; mirrored, ball four pixels wide
        sta CTRLPF
        lda #$C4
        sta COLUPF
        lda #$C0
        sta temp
        ldy #5
        jmp Leaves

        align 256
        include "six.inc"

; Two lines for each row of leaves, Y is the row from the bottom.
Leaves  sta WSYNC
        lda LeafC,y
        sta COLUPF
        lda Leaf0,y
        sta PF0                 ; 14
        lda Leaf1,y
        sta PF1                 ; 21
        lda Leaf2,y
        sta PF2                 ; 28
        poll
        cpy #3
        bne .deep
        lda hue                 ; below this row the sky is seen between them
        ora #2
        sta temp
.deep   sta WSYNC
        lda temp
        sta COLUBK
        poll
        dey
        bpl Leaves

        sta WSYNC
        lda #$30                ; trunks at both sides
        sta PF0
        lda #0
        sta PF1
        sta PF2
        lda #$22
        sta COLUPF
        lda #$0E
        sta COLUP1
        ldy #7
        poll
        sta WSYNC
        lda #$80                ; stay from now on
        sta HMP0
        poll
Bird    sta WSYNC
        lda frame
        and #8
        bne .up
        lda Bird0,y
        jmp .draw
.up     lda Bird1,y
.draw   sta GRP1
        poll
        sta WSYNC
        poll
        dey
        bpl Bird

        ldx #0                  ; the first row of the orchard
        stx NUSIZ1
        stx REFP1
        stx row
        stx shotOn
        stx acornOn
        stx gfx0
        dex
        stx slot
        lda #>Fruit
        sta gfx1+1
        lda temp
        sta sky
        lda #PITCH
        sec
        sbc phase
        sta first
        jmp Next

; A row of the orchard; Y is the row within the thing that falls there.
        align 256
Row     sta WSYNC
        lda sky
        sta COLUBK              ; 6
        lda gfx0
        sta GRP0                ; 12
        lda shotOn
        sta ENAM0               ; 18
        lda acornOn
        sta ENABL               ; 24
        inc row                 ; from here on for the next row
        ldx row
        lda Weave,x
        sta gfx0
        lda Sky,x
        ora hue
        sta sky                 ; 49
        poll
        sta WSYNC
        lda (gfx1),y            ; 5
        sta GRP1                ; 8
        lda #0
        cpx shotY
        bne .noShot
        lda #2
.noShot sta shotOn              ; 20
        txa
        sec
        sbc acornY
        cmp #4
        lda #$FF
        adc #0                  ; $FF in four rows, else 0
        sta acornOn             ; 36
        poll
        iny
        cpx #ROWS
        bcs .under
        cpy #PITCH
        bne Row                 ; 57
        cpx #ROWS-2
        bcc Next
        ldy #PITCH-6            ; no place for another one: go on with empty rows
        bne Row
.under  jmp Ground

; Two rows in which the next thing is placed.
Next    sta WSYNC
        lda sky
        sta COLUBK              ; 6
        lda gfx0
        sta GRP0                ; 12
        lda shotOn
        sta ENAM0               ; 18
        lda acornOn
        sta ENABL               ; 24
        inc row
        inc slot
        ldx slot                ; 37
        lda itemPos,x
        sta HMP1
        and #$0F
        tay                     ; 48
        poll
        sta WSYNC
        pollflat                ; 13
        lda itemCol,x
        sta COLUP1              ; 20
.coarse dey                     ; 22
        bpl .coarse             ; 24 and 5 for every round
        sta RESP1               ; 27: pixel 18, and 15 for every round
        sta WSYNC
        ldx row
        lda Sky,x
        ora hue
        sta COLUBK              ; 13
        lda Weave,x
        sta GRP0                ; 20
        lda #0
        sta ENAM0               ; 25
        pollflat                ; 38
        inc row
        ldx row                 ; 46
        txa
        sec
        sbc acornY
        cmp #4
        lda #$FF
        adc #0
        sta acornOn             ; 62
        ldy first
        lda #2                  ; 67
        nop
        nop                     ; 71
        sta HMOVE               ; 74: so late that no line begins with a black comb
        sta first
        lda Weave,x
        sta gfx0
        lda Sky,x
        ora hue
        sta sky
        lda #0
        cpx shotY
        bne .noShot1
        lda #2
.noShot1 sta shotOn
        ldx slot
        lda itemGfx,x
        sta gfx1
        poll
        cpy #PITCH
        bne .fall
        jmp Next
.fall   jmp Row

; Grass, then soil with lives and missed fruit.
Ground  sta WSYNC
        lda #$C8
        sta COLUBK
        lda #0
        sta GRP0
        sta GRP1
        sta ENAM0
        sta ENABL
        sta PF0
        poll
        sta WSYNC
        lda #$C4
        sta COLUBK              ; 5
        pollflat                ; 18
        lda #$2A
        sta COLUP0
        lda #$46
        sta COLUP1              ; 28
        ldx lives
        bne .alive              ; both ways end in cycle 35
        inx
        bne .dead
.alive  nop
        nop
.dead   sta RESP0               ; 38: pixel 51
        lda Copies-1,x
        sta NUSIZ0              ; 45
        lda Shown-1,x
        sta gfx0
        sta RESP1               ; 55: pixel 102
        sta WSYNC
        lda #$C2
        sta COLUBK
        ldx missed
        lda Copies,x
        sta NUSIZ1
        lda Shown,x
        sta sky
        poll
        sta WSYNC
        lda #$20
        sta COLUBK
        poll
        sta WSYNC
        poll
        ldy #7
.icon   sta WSYNC
        lda Tray,y
        and gfx0
        sta GRP0
        lda Core,y
        and sky
        sta GRP1
        poll
        dey
        bpl .icon
        sta WSYNC
        lda #0
        sta GRP0
        sta GRP1
        poll
        jmp Drawn

; Moves object X (0, 1 players, 2, 3 missiles, 4 ball) to pixel A; the next
; HMOVE completes it. Takes one line.
Place   subroutine
        sec
        sbc Early,x
        sta WSYNC
        sec
.coarse sbc #15
        bcs .coarse
        eor #7
        asl
        asl
        asl
        asl
        sta HMP0,x
        sta RESP0,x
        rts
Early   .byte 3,3,2,2,2

; ---------------------------------------------------------------- switches
Switches subroutine
        lda shown
        beq .hidden
        dec shown
.hidden lda SWCHB
        tay
        eor switch              ; what has changed
        sty switch
        tax
        tya
        lsr
        bcc NewGame             ; RESET is held
        lsr
        bcs .done
        txa
        and #2
        beq .done               ; SELECT is held, but not new
        lda mode
        clc
        adc #1
        and #3
        sta mode
        lda #ATTRACT
        sta state
        lda #120
        sta shown
.done   rts

NewGame subroutine
        ldx #caught-score       ; score, level, fruit caught and missed
        lda #0
.zero   sta score,x
        dex
        bpl .zero
        sta missed
        sta shown
        sta phase
        sta fall
        sta soundT
        sta soundT+1
        inc level
        lda #PLAYING
        sta state
        lda #1
        sta wind
        lda #4
        sta lives
        lda #76
        sta birdX
        lda #200
        sta acornT
        lda #20
        sta pause

Clear   subroutine              ; nothing falls
        ldx #SLOTS-1
.slot   lda #NOTHING
        sta itemK,x
        lda #76
        sta itemX,x
        dex
        bpl .slot
        sta shotX
        sta acornX
        lda #NONE
        sta shotY
        sta acornY
        rts

; ---------------------------------------------------------------- basket and pebble
Basket  subroutine
        lda #$15                ; twice as wide, pebble two pixels wide
        bit SWCHB
        bvc .wide
        lda #$10                ; left difficulty A: a small basket
.wide   sta wide
        lda paddle              ; two thirds of the charged lines
        lsr
        sta basketX
        lsr
        lsr
        clc
        adc basketX
        sta basketX
        lda paddle
        lsr
        lsr
        lsr
        lsr
        lsr
        clc
        adc basketX
        adc #10
        sta basketX
        rts

Shot    subroutine
        lda shotY
        cmp #NONE
        bne .fly
        lda SWCHA
        bmi .done
        lda pause
        bne .done
        lda wide
        and #4
        clc
        adc #3
        adc basketX
        sta shotX
        lda #BASKET-2
        sta shotY
        ldx #FLING
        jmp Play1
.fly    sec
        sbc #2
        sta shotY
        cmp #3
        bcs .done
        lda #NONE
        sta shotY
.done   rts

; ---------------------------------------------------------------- acorn
Acorn   subroutine
        lda acornY
        cmp #NONE
        bne .fall
        dec acornT
        bne .done
        jsr Random
        and #$7F
        adc #14
        sta acornX
        lda #2
        sta acornY
        rts
.fall   lda frame
        and #1
        bne .done
        inc acornY
        lda acornY
        and #8                  ; it sways
        lsr
        lsr
        eor #$FF
        sec
        adc #1
        clc
        adc acornX
        sta acornX
        lda acornY
        cmp #ROWS
        bcc .done
        lda #NONE
        sta acornY
        lda #250
        sta acornT
.done   rts

; ---------------------------------------------------------------- what falls
Fall    subroutine
        lda pause
        beq .go
        dec pause
.go     lda mode
        and #GALE
        beq .calm
        jsr Blow
.calm   ldx level
        cpx #FASTEST
        bcc .slow
        ldx #FASTEST
.slow   lda fall
        clc
        adc SpeedLo-1,x
        sta fall
        lda phase
        adc SpeedHi-1,x
        sta phase
        cmp #PITCH
        bcs Drop
        rts

; The lowest thing is gone, the others are one lower, the magpie drops another.
Drop    subroutine
        sbc #PITCH
        sta phase
        ldy itemK+SLOTS-1
        ldx #SLOTS-1
.down   lda itemX-1,x
        sta itemX,x
        lda itemK-1,x
        sta itemK,x
        dex
        bne .down
        lda birdX
        clc
        adc #4
        sta itemX
        lda #NOTHING
        ldx pause
        bne .pick
        jsr Random
        and #7
        ldx mode
        cpx #WASPS
        bcc .usual
        adc #15                 ; carry is set
        bne .table
.usual  ldx level
        cpx #3
        bcc .table
        adc #7
.table  tax
        lda Bag,x
.pick   sta itemK
        cpy #NOTHING
        beq .done
        cpy #WASP
        beq .done
        ldx #SPLAT              ; a fruit is on the ground
        jsr Play0
        inc missed
        lda missed
        cmp #PATIENCE
        bcs Lose
.done   rts

Lose    subroutine              ; a life
        lda #0
        sta missed
        lda #75
        sta pause
        ldx #STING
        jsr Play0
        jsr Clear
        dec lives
        bne .done
        lda #OVER
        sta state
.done   rts

; The gale moves all that falls.
Blow    subroutine
        lda frame
        and #3
        bne .done
        ldx #SLOTS-1
.slot   lda itemX,x
        clc
        adc wind
        cmp #LEFT
        bcc .next
        cmp #EDGE+1
        bcs .next
        sta itemX,x
.next   dex
        bpl .slot
        jsr Random
        and #$3F
        bne .done
        sec
        sbc wind
        sta wind
.done   rts

; ---------------------------------------------------------------- magpie
Magpie  subroutine
        lda level
        lsr
        lsr
        cmp #3
        bcc .cap
        lda #2
.cap    sta temp                ; pixels per frame, less one
        lda birdV
        bne .left
        lda birdX
        sec
        adc temp
        cmp #RIGHT
        bcc .keep
        bcs .turn
.left   lda birdX
        clc
        sbc temp
        cmp #LEFT
        bcs .keep
.turn   lda birdV
        eor #8
        sta birdV
        rts
.keep   sta birdX
        jsr Random
        and #$1F
        beq .turn
        rts

; ---------------------------------------------------------------- what the kernel needs
Picture subroutine
        lda level
        lsr
        and #7
        tax
        lda Hues,x
        sta hue
        lda basketX
        clc
        adc #11
        jsr Split
        sta place
        lda birdX
        clc
        adc #11
        jsr Split
        sta place+1
        ldx #SLOTS-1
.slot   lda itemX,x
        sec
        sbc #4
        jsr Split
        sta itemPos,x
        ldy itemK,x
        lda Colours,y
        sta itemCol,x
        lda Shapes,y
        cpy #WASP
        bne .shape
        lda frame
        and #4
        beq .wings
        lda #Wasp1-Wasp
.wings  clc
        adc #<Wasp
.shape  sta itemGfx,x
        dex
        bpl .slot
        rts

; Pixel A as the kernel wants it: fine motion above, rounds of the coarse loop below.
Split   subroutine
        ldy #$FF
        sec
.coarse iny
        sbc #15
        bcs .coarse
        eor #7
        asl
        asl
        asl
        asl
        sta temp
        tya
        ora temp
        rts

; What the top line shows.
Title   subroutine
        lda shown
        bne .mode
        lda state
        cmp #PLAYING
        beq .score
        tax
        bit frame
        bmi .other
        lda #<Name
        cpx #OVER
        bne .word
        lda #<GameOver
.word   jmp SixWord
.other  cpx #OVER
        beq .score
.mode   lda #<Blank
        jsr SixWord
        lda #<Blank
        ldx #10
.blank  sta six,x
        dex
        dex
        bpl .blank
        lda mode
        asl
        asl
        asl
        adc #<Digits+8
        sta six+4
        rts
.score  jmp SixScore

; ---------------------------------------------------------------- collisions
Hits    subroutine
        bit CXM0P
        bpl .noShot             ; the pebble hits something
        lda shotY
        cmp #NONE
        beq .noShot
        sec
        sbc #2                  ; slot of its row
        ldx #0
        sbc phase
        bcc .slot
.below  inx
        sbc #PITCH
        bcs .below
.slot   cpx #SLOTS
        bcs .noShot
        lda itemK,x
        cmp #WASP
        bne .fruit
        lda #$03
        jsr Points
.fruit  lda #NOTHING
        sta itemK,x
        lda #NONE
        sta shotY
        ldx #BUZZ
        jsr Play1
.noShot bit CXP0FB
        bvc .noNut              ; the acorn is in the basket
        lda acornY
        cmp #NONE
        beq .noNut
        lda #NONE
        sta acornY
        lda #250
        sta acornT
        lda #0
        sta missed
        lda #$10
        jsr Points
        ldx #FANFARE
        jsr Play1
.noNut  bit CXPPMM
        bpl .done               ; a thing is in the basket
        ldx itemK+SLOTS-1
        beq .done
        cpx #WASP
        bne .good
        jmp Lose
.good   lda Worth,x
        jsr Points
        ldx #PLOP
        jsr Play0
        lda #NOTHING
        sta itemK+SLOTS-1
        inc caught
        lda caught
        cmp #QUOTA
        bcc .done
        lda #0
        sta caught
        lda level
        cmp #99
        bcs .done
        inc level
        ldx #FANFARE
        jmp Play1
.done   rts

; Adds A, in BCD, to the score.
Points  subroutine
        sed
        clc
        adc score+2
        sta score+2
        lda score+1
        adc #0
        sta score+1
        lda score
        adc #0
        sta score
        cld
        rts

; ---------------------------------------------------------------- chance, sound
Random  subroutine
        lda rng
        asl
        rol rng+1
        bcc .same
        eor #$2D
.same   sta rng
        eor rng+1
        rts

Play0   lda Lengths,x           ; effect X on channel 0
        sta soundT
        stx sound
        rts
Play1   lda Lengths,x
        sta soundT+1
        stx sound+1
        rts

Sounds  subroutine
        ldx #1
.voice  lda soundT,x
        beq .off
        dec soundT,x
        ldy sound,x
        lda Tones,y
        sta AUDC0,x
        lda soundT,x
        lsr
        eor Pitches,y
        and #$1F
        sta AUDF0,x
        lda soundT,x
        lsr
        cmp #9
        bcc .off
        lda #9
.off    sta AUDV0,x
        dex
        bpl .voice
        rts

; ---------------------------------------------------------------- tables
;               - plop splat fling sting fan buzz
Lengths .byte   0,  10,   14,    6,   60, 40,  20
Tones   .byte   0,   4,    8,    8,    7,  4,   3
Pitches .byte   0,  15,   28,    2,    8, 31,   4

Hues    .byte $90,$80,$A0,$70,$60,$50,$40,$30   ; of the sky, for two levels each
Colours .byte $00,$44,$1A,$4C,$1E               ; nothing, apple, pear, cherry, wasp
Worth   .byte $00,$01,$02,$03
Bag     .byte APPLE,APPLE,APPLE,PEAR,APPLE,PEAR,CHERRY,WASP     ; levels 1 and 2
        .byte APPLE,PEAR,APPLE,PEAR,CHERRY,CHERRY,WASP,WASP     ; later
        .byte APPLE,WASP,PEAR,WASP,CHERRY,APPLE,PEAR,WASP       ; many wasps
Copies  .byte $00,$00,$01,$03                   ; NUSIZ for 0 to 3 pictures
Shown   .byte $00,$FF,$FF,$FF

N       set 1                   ; rows per frame for each level
SpeedLo repeat FASTEST
        .byte <(70+N*22)
N       set N+1
        repend
N       set 1
SpeedHi repeat FASTEST
        .byte >(70+N*22)
N       set N+1
        repend

Leaf0   .byte $90,$D0,$F0,$F0,$F0,$F0           ; upside down
Leaf1   .byte $24,$6D,$EF,$FF,$FF,$FF
Leaf2   .byte $91,$D3,$F7,$FF,$FF,$FF
LeafC   .byte $C6,$C6,$C4,$C4,$C2,$C2

Bird0   .byte %00000000         ; upside down
        .byte %00011000
        .byte %00111000
        .byte %01111110
        .byte %11011111
        .byte %10000110
        .byte %00000000
        .byte %00000000
Bird1   .byte %00000000
        .byte %00000000
        .byte %00111110
        .byte %01111111
        .byte %11011110
        .byte %10011000
        .byte %00110000
        .byte %00100000

Tray    .byte %00111100         ; upside down
        .byte %01111110
        .byte %01010110
        .byte %01101010
        .byte %11111111
        .byte %01000010
        .byte %01000010
        .byte %00111100
Core    .byte %00000000
        .byte %00111100
        .byte %01011010
        .byte %00011000
        .byte %00011000
        .byte %01011010
        .byte %00111100
        .byte %00001000

; Pictures of what falls, from the third of sixteen rows on: the kernel adds the row.
        align 256
Fruit
Void    .byte 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0
Apple   .byte 0,0
        .byte %00000100
        .byte %00001000
        .byte %01110110
        .byte %11111111
        .byte %11111111
        .byte %11111111
        .byte %01111110
        .byte %00110110
        .byte 0,0,0,0,0,0
Pear    .byte 0,0
        .byte %00001000
        .byte %00010000
        .byte %00111000
        .byte %00111000
        .byte %01111100
        .byte %11111110
        .byte %11111110
        .byte %01111100
        .byte 0,0,0,0,0,0
Cherry  .byte 0,0
        .byte %00000110
        .byte %00011000
        .byte %00101000
        .byte %01000100
        .byte %11101110
        .byte %11101110
        .byte %11101110
        .byte %00000000
        .byte 0,0,0,0,0,0
Wasp    .byte 0,0
        .byte %11000011
        .byte %11100111
        .byte %01111110
        .byte %00011000
        .byte %00111100
        .byte %00000000
        .byte %00111100
        .byte %00001000
        .byte 0,0,0,0,0,0
Wasp1   .byte 0,0
        .byte %00000000
        .byte %00111100
        .byte %11111111
        .byte %11011011
        .byte %00111100
        .byte %00000000
        .byte %00111100
        .byte %00010000
        .byte 0,0,0,0,0,0
Shapes  .byte <Void,<Apple,<Pear,<Cherry,0

        align 256
Weave   ds BASKET,0             ; player 0 in each row: nothing, then the basket
        .byte %10000001
        .byte %11111111
        .byte %10101011
        .byte %11010101
        .byte %01101010
        .byte %01111110
        .byte 0
Sky     ds 14,2                 ; brightness of the sky in each row
        ds 14,4
        ds 14,6
        ds 13,8
        ds 12,10

        align 256
Digits  .byte $00,$3C,$66,$66,$66,$66,$66,$3C
        .byte $00,$3C,$18,$18,$18,$18,$38,$18
        .byte $00,$7E,$60,$30,$0C,$06,$46,$3C
        .byte $00,$3C,$46,$06,$1C,$06,$46,$3C
        .byte $00,$0C,$0C,$7E,$4C,$2C,$1C,$0C
        .byte $00,$3C,$46,$06,$7C,$60,$60,$7E
        .byte $00,$3C,$66,$66,$7C,$60,$62,$3C
        .byte $00,$18,$18,$18,$0C,$06,$06,$7E
        .byte $00,$3C,$66,$66,$3C,$66,$66,$3C
        .byte $00,$3C,$46,$06,$3E,$66,$66,$3C
Blank   .byte 0,0,0,0,0,0,0,0
Name    .byte $00,$08,$0D,$0A,$0A,$08,$08,$08
        .byte $00,$BA,$92,$92,$92,$93,$93,$BA
        .byte $00,$5C,$52,$D2,$D2,$52,$52,$5C
        .byte $00,$84,$84,$84,$E7,$84,$84,$F3
        .byte $00,$BD,$A1,$A1,$A1,$A1,$A1,$21
        .byte $00,$E0,$00,$00,$00,$00,$00,$00
GameOver .byte $00,$1D,$25,$25,$2D,$21,$21,$1C
        .byte $00,$28,$28,$28,$EA,$2A,$2D,$C8
        .byte $00,$BC,$A0,$A0,$B8,$A0,$A0,$BC
        .byte $00,$30,$49,$49,$4A,$4A,$4A,$32
        .byte $00,$8F,$48,$48,$2E,$28,$28,$2F
        .byte $00,$48,$50,$60,$70,$48,$48,$70

        org $FFFC
        .word Start
        .word Start
