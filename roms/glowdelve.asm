; GLOWDELVE: a game for one joystick.
;
; A delver with a lantern hovers through the six galleries of a mine, gathers
; gems for lamp oil and points, shoots what lives there, and keeps clear of it
; and of falling rocks. README.md tells how it is played and what RAM holds.
;
;   dasm glowdelve.asm -f3 -oglowdelve.bin

        processor 6502
        include "vcs.inc"

LANES   = 6             ; galleries
PITCH   = 13            ; rows from one gallery to the next; a row is two lines
BODY    = 11            ; of these rows are open, the two above are the ledge
TALL    = 8             ; rows of a sprite
NONE    = $C0           ; row of an object that is not there
LEFT    = 16            ; the delver's first and last pixel between the side walls
RIGHT   = 136
LOWEST  = LANES*PITCH-TALL      ; last row for the delver's head
FULL    = 127           ; oil of a full lamp
QUOTA   = 6             ; gems of a level
DEEP    = 6             ; from this level on all creatures are fast
SPARK   = 96            ; frames from a creature's end to the next one
PUFF    = 78            ; it is seen falling apart while more frames than this are left

ATTRACT = 0             ; values of `state`
PLAYING = 1
OVER    = 2

DARK    = 1             ; bits of `mode`
RUSH    = 2

ZAP     = 1             ; sound effects
BURST   = 2
CHIME   = 3
THUD    = 4
DOOM    = 5
FANFARE = 6
DRIP    = 7

; ---------------------------------------------------------------- memory
        seg.u ram
        org $80
frame   ds 1            ; counts television frames
state   ds 1            ; ATTRACT, PLAYING, OVER
mode    ds 1            ; 0 to 3
lives   ds 1            ; lanterns left, the one in use included
score   ds 3            ; BCD, high byte first
level   ds 1            ; from 1
gems    ds 1            ; still to be gathered in this level
oil     ds 1            ; 0 to FULL
playerX ds 1            ; left pixel of the delver
playerY ds 1            ; top row of the delver
facing  ds 1            ; 0 right, 8 left (as REFP0 wants it)
dying   ds 1            ; frames the delver still falls apart
shield  ds 1            ; frames the delver still cannot be hurt
shotX   ds 1
shotY   ds 1            ; row, NONE without a shot
shotV   ds 1            ; pixels per frame
gemX    ds 1
gemY    ds 1            ; top row
rockX   ds 1
rockY   ds 1            ; top row, NONE without a rock
rockT   ds 1            ; frames it still trembles, or until the next one
laneX   ds LANES        ; left pixel of the creature in each gallery
laneK   ds LANES        ; kind 0 to 3; bit 3: moves left
laneT   ds LANES        ; 0 alive, otherwise frames until the next one comes
rng     ds 2            ; shift register, moves every frame
switch  ds 1            ; SWCHB of the frame before
shown   ds 1            ; frames the number of the mode is still shown
sound   ds 2            ; effect of channel 0 and 1
soundT  ds 2            ; frames left of it
part    ds 4            ; fraction of a pixel each kind has moved
moved   ds 4            ; pixels each kind moves in this frame
ledge1  ds LANES+1      ; PF1 and PF2 of the ledges
ledge2  ds LANES+1
lanePos ds LANES+1      ; fine and coarse position of the creatures
laneGfx ds LANES        ; low address of their pictures
laneCol ds LANES+1      ; their colours
delver  ds TALL         ; picture of the delver
lit     ds 1            ; gallery the lantern lights
glow    ds 1            ; colour of its light
newX    ds 1
newY    ds 1
temp    ds 1
six     ds 12           ; pointers of the score line; the cave reuses them
sixRow  ds 1
sixLast ds 1

        seg.u cave      ; used while the cave is drawn
        org six
lane    ds 1
row     ds 1            ; the row that is made ready
line0   ds 1            ; its row of the delver's picture
gfx0    ds 1
shotOn  ds 1
gemOn   ds 1
rockOn  ds 1
gfx1    ds 2            ; pointer to the picture of the creature

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
        lda #$5A
        sta rng
        lda #$C3
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
        jsr Creatures
        jsr Picture
        jsr Title

        lda shotX
        ldx #2
        jsr Place
        lda gemX
        ldx #3
        jsr Place
        lda rockX
        ldx #4
        jsr Place
        jsr SixPlace
        sta WSYNC
        sta HMOVE

.wait   lda INTIM
        bne .wait
        sta WSYNC
        sta VBLANK              ; picture on
        jmp Draw

Drawn   lda #2
        sta WSYNC
        sta VBLANK              ; picture off
        lda #32
        sta TIM64T
        jsr Switches
        lda switch
        lsr
        bcc .quiet              ; RESET is held
        lda state
        cmp #PLAYING
        bne .quiet
        jsr Hits
        jsr Player
        jsr Shot
        jsr Rock
        jsr Oil
.quiet  jsr Paces
        jsr Sounds
        sta CXCLR
.rest   lda INTIM
        bne .rest
        jmp Frame

; ---------------------------------------------------------------- picture
; 192 lines: 16 of score, 160 of cave, 16 of lamp oil, lives and level.
Draw    lda #0
        sta COLUBK
        sta REFP0
        lda #$1C
        sta COLUP0
        sta COLUP1
        sta WSYNC
        sta WSYNC
        jsr SixDraw
        sta HMCLR
        lda playerX
        ldx #0
        jsr Place
        sta WSYNC
        sta HMOVE
        lda #$20                ; missiles and ball four pixels wide
        sta NUSIZ0
        sta NUSIZ1
        lda #$21                ; playfield mirrored
        sta CTRLPF
        lda facing
        sta REFP0
        ldx level
        dex
        txa
        and #7
        tax
        lda mode
        lsr
        lda Rocks,x
        bcc .seen
        lda #0                  ; in the dark the rock is black
.seen   sta COLUPF
        jsr Shine
        sta COLUP0
        sta WSYNC
        lda #$F0
        sta PF0
        lda #$80                ; with an HMOVE in cycle 74 this means "stay"
        sta HMP0
        sta HMM0
        sta HMM1
        sta HMBL
        lda #>Bestiary
        sta gfx1+1
        lda #0
        sta lane
        sta row
        sta shotOn
        sta gemOn
        sta rockOn
        sta gfx0
        sec
        sbc playerY
        sta line0
        jmp Ledge

        align 256
        include "six.inc"

; A row of an open gallery. X is 0, Y the row within the gallery.
Row     sta WSYNC
        stx PF1                 ; 3
        stx PF2                 ; 6
        lda gfx0
        sta GRP0                ; 12
        lda shotOn
        sta ENAM0               ; 18
        lda gemOn
        sta ENAM1               ; 24
        lda rockOn
        sta ENABL               ; 30
        inc row                 ; from here on for the next row
        inc line0
        ldx line0
        lda #0
        cpx #TALL
        bcs .none
        lda delver,x
.none   sta gfx0                ; 56
        sta WSYNC
        lda (gfx1),y            ; 5
        sta GRP1                ; 8
        ldx #0
        lda row
        cmp shotY
        bne .noShot
        ldx #2
.noShot stx shotOn              ; 23
        sec
        sbc gemY
        cmp #4
        lda #$FF
        adc #0                  ; $FF in four rows, else 0
        sta gemOn               ; 37
        lda row
        sec
        sbc rockY
        cmp #4
        lda #$FF
        adc #0
        sta rockOn              ; 54
        ldx #0
        iny
        cpy #BODY
        bne Row                 ; 63

Ledge   ldx lane
        lda gfx0
        sta WSYNC               ; at most 71
        sta GRP0                ; 3
        lda ledge1,x
        sta PF1                 ; 10
        lda ledge2,x
        sta PF2                 ; 17
        lda rockOn
        sta ENABL               ; 23
        lda #0
        sta ENAM0
        sta ENAM1               ; 31
        inc row
        inc line0
        ldx line0
        cpx #TALL
        bcs .none1
        lda delver,x
.none1  sta gfx0                ; 55
        ldx lane
        lda lanePos,x
        sta HMP1
        and #$0F
        tay                     ; 69
        sta WSYNC
        lda laneCol,x           ; 4
        sta COLUP1              ; 7
        lda laneGfx,x           ; 11
        sta gfx1                ; 14
        lda laneK,x             ; 18
        sta REFP1               ; 21
.coarse dey                     ; 23
        bpl .coarse             ; 25 and 5 for every round
        sta RESP1               ; 28: pixel 21, and 15 for every round
        sta WSYNC
        lda gfx0                ; 3
        sta GRP0                ; 6
        cpx lit                 ; 9
        bne .dark               ; both ways end in cycle 17
        lda glow
        bcs .glow
.dark   lda #0
        bit glow
.glow   sta COLUBK              ; 20
        inc row
        inc line0
        ldx line0               ; 33
        cpx #TALL
        bcs .none2              ; both ways end in cycle 44
        lda delver,x
        bcc .some2
.none2  lda #0
        nop
        nop
.some2  sta gfx0                ; 47
        lda row
        sec
        sbc rockY
        cmp #4
        lda #$FF
        adc #0
        sta rockOn              ; 64
        ldy #0
        ldx #0
        bit temp                ; 71
        sta HMOVE               ; 74: so late that no line begins with a black comb
        inc lane                ; 3 of the next line
        lda lane
        cmp #LANES+1
        bcs Bottom
        lda row
        cmp shotY
        bne .noShot1
        ldx #2
.noShot1 stx shotOn
        sec
        sbc gemY
        cmp #4
        lda #$FF
        adc #0
        sta gemOn
        ldx #0
        jmp Row

; Oil, lives and level.
Bottom  sta WSYNC
        lda #0
        sta PF0
        sta PF1
        sta PF2
        sta COLUBK
        sta GRP0
        sta ENABL
        sta REFP0
        sta HMCLR
        sta REFP1
        lda #48
        ldx #0
        jsr Place
        lda #104
        inx
        jsr Place
        sta WSYNC
        sta HMOVE
        lda oil
        lsr
        lsr
        lsr
        tax
        ldy #$1A
        cpx #4
        bcs .enough
        lda frame
        and #8
        beq .enough
        ldy #$44
.enough sty COLUPF
        lda #5
        sta temp
.bar    sta WSYNC
        lda Bar1,x
        sta PF1
        lda Bar2,x
        sta PF2
        dec temp
        bne .bar
        sta WSYNC
        lda #0
        sta PF1
        sta PF2
        ldx lives
        bne .alive
        inx
.alive  lda Copies-1,x
        sta NUSIZ0
        lda Heads-1,x
        sta temp
        lda level
        cmp #9
        bcc .digit
        lda #9
.digit  asl
        asl
        asl
        tax
        lda #$0A
        sta COLUP1
        jsr Shine
        sta COLUP0
        ldy #7
.icon   sta WSYNC
        lda Icon,y
        and temp
        sta GRP0
        lda Digits+7,x
        sta GRP1
        dex
        dey
        bpl .icon
        sta WSYNC
        lda #0
        sta GRP0
        sta GRP1
        jmp Drawn

; A is the colour of the delver.
Shine   subroutine
        lda dying
        bne .burn
        lda shield
        and #4
        bne .pale
        lda #$1E
        rts
.pale   lda #$0A
        rts
.burn   lda frame
        asl
        ora #$04
        and #$3E
        rts

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

; ---------------------------------------------------------------- new game, level, life
NewGame subroutine
        lda #0
        sta score
        sta score+1
        sta score+2
        sta level
        sta shown
        sta sound
        sta sound+1
        sta soundT
        sta soundT+1
        lda #PLAYING
        sta state
        lda #4
        sta lives
        ldx #LANES-1
.lane   lda Entry,x
        sta laneX,x
        lda Kinds,x
        sta laneK,x
        lda #0
        sta laneT,x
        dex
        bpl .lane

NewLevel subroutine
        inc level
        lda #QUOTA
        sta gems
        lda #FULL
        sta oil
        lda #$FF
        sta ledge1
        sta ledge2
        sta ledge1+LANES
        sta ledge2+LANES
        lda level
        asl
        adc level               ; three patterns further for each level
        tay
        ldx #LANES-1
.ledge  tya
        and #7
        tay
        lda Gaps1,y
        sta ledge1,x
        lda Gaps2,y
        sta ledge2,x
        iny
        dex
        bne .ledge
        jsr NewGem

Enter   subroutine              ; the delver comes in at the top
        lda #76
        sta playerX
        lda #3
        sta playerY
        lda #90
        sta shield
        sta rockT
        lda #0
        sta dying
        lda #NONE
        sta shotY
        sta rockY
        lda #LEFT
        sta shotX
        sta rockX
        rts

NewGem  subroutine
        jsr Random
        and #7
        tax
        lda GemRow,x
        sta gemY
        jsr Random
        and #$7F
        cmp #112
        bcc .in
        sbc #64
.in     adc #LEFT+4
        sta gemX
        rts

; ---------------------------------------------------------------- the delver
Player  subroutine
        lda dying
        beq .alive
        dec dying
        bne .out
        dec lives
        bne .next
        lda #OVER
        sta state
.out    rts
.next   lda oil
        cmp #FULL/2
        bcs .oil
        lda #FULL/2
        sta oil
.oil    jmp Enter

.alive  lda shield
        beq .bare
        dec shield
.bare   lda playerX
        sta newX
        lda playerY
        sta newY
        jsr Sideways
        lda frame               ; three pixels in two frames
        lsr
        bcs .slow
        jsr Sideways
.slow   lda playerX
        sta newX
        lda frame               ; three rows in four frames
        and #3
        beq .level
        lda SWCHA
        and #$10
        bne .notUp
        dec newY
.notUp  lda SWCHA
        and #$20
        bne .notDn
        inc newY
.notDn  jsr Blocked
        bcs .level
        lda newY
        sta playerY
.level  lda shotY
        cmp #NONE
        bne .out
        lda INPT4
        bmi .out
        ldx #ZAP
        jsr Play0
        lda playerX
        ldx facing
        bne .left
        clc
        adc #8
        ldx #4
        bne .fire
.left   sec
        sbc #4
        ldx #-4
.fire   sta shotX
        stx shotV
        lda playerY
        clc
        adc #3
        sta shotY
        jsr Gallery
        cmp #BODY
        bcc .done
        dec shotY               ; never within a ledge
        dec shotY
.done   rts

; One pixel to the left or right.
Sideways subroutine
        bit SWCHA
        bmi .notR
        inc newX
        lda #0
        sta facing
.notR   bvs .notL
        dec newX
        lda #8
        sta facing
.notL   jsr Blocked
        lda newX
        bcc .free
        lda playerX
.free   sta newX
        sta playerX
        rts

; Carry set when the delver cannot be at newX, newY.
Blocked subroutine
        lda newX
        cmp #LEFT
        bcc .yes
        cmp #RIGHT+1
        bcs .yes
        lda newY
        cmp #2
        bcc .yes
        cmp #LOWEST+1
        bcs .yes
        jsr Gallery
        cmp #BODY-TALL+1
        bcc .no                 ; wholly within a gallery
        inx
        stx temp                ; the ledge it crosses
        lda newX
        jsr Column
        bne .yes
        lda newX
        clc
        adc #4
        jsr Column
        bne .yes
        lda newX
        clc
        adc #7
        jsr Column
        bne .yes
.no     clc
        rts
.yes    sec
        rts

; Gallery X of row A (from 2 on), and A the row within it.
Gallery subroutine
        ldx #$FF
        sec
        sbc #2
.lane   inx
        sbc #PITCH
        bcs .lane
        adc #PITCH
        rts

; Not zero when ledge `temp` has rock at pixel A.
Column  subroutine
        lsr
        lsr
        cmp #20
        bcc .half
        eor #$FF                ; 39 - A
        adc #39                 ; carry is set
.half   sec
        sbc #4
        tax
        ldy temp
        cmp #8
        lda ledge1,y
        bcc .first
        lda ledge2,y
.first  and Bits,x
        rts

; ---------------------------------------------------------------- shot, rock, oil
Shot    subroutine
        lda shotY
        cmp #NONE
        beq .done
        lda shotX
        clc
        adc shotV
        sta shotX
        cmp #8
        bcc .gone
        cmp #149
        bcc .done
.gone   lda #NONE
        sta shotY
        lda #LEFT
        sta shotX
.done   rts

Rock    subroutine
        lda rockY
        cmp #NONE
        bne .there
        dec rockT
        bne .done
        jsr Random
        and #$0F
        adc playerX
        sbc #6
        cmp #LEFT
        bcs .in
        lda #LEFT
.in     cmp #RIGHT+4
        bcc .right
        lda #RIGHT+4
.right  sta rockX
        ldx lit
        lda LaneRow,x
        sta rockY
        lda #36
        sta rockT
.done   rts
.there  lda rockT
        beq .fall
        dec rockT
        lda rockX
        eor #1
        sta rockX
        rts
.fall   inc rockY
        lda rockY
        cmp #LANES*PITCH
        bcc .done
NoRock  lda #NONE               ; and a time until the next one
        sta rockY
        jsr Random
        and #$3F
        ora #$40
        bit SWCHB
        bvc .easy
        lsr                     ; left difficulty A: twice as many
.easy   ldx mode
        cpx #RUSH
        bcc .calm
        lsr
.calm   sta rockT
        rts

Oil     subroutine
        lda dying
        bne .done
        lda #$0F
        bit SWCHB
        bvc .easy
        lda #$07                ; left difficulty A: the lamp burns twice as fast
.easy   and frame
        bne .done
        lda oil
        beq .done
        dec oil
        bne .some
        jmp Die
.some   lda oil
        cmp #32
        bcs .done
        and #3
        bne .done
        ldx #DRIP
        jmp Play1
.done   rts

; ---------------------------------------------------------------- creatures
Paces   subroutine              ; how far each kind moves in the next frame
        lda level
        cmp #8
        bcc .cap
        lda #8
.cap    asl
        asl
        asl
        sta newX
        lda mode                ; one step, one more in a rush, one more in deep levels
        and #RUSH
        lsr
        tay
        lda level
        cmp #DEEP
        bcc .upper
        iny
.upper  sty newY
        ldx #3
.kind   lda Speeds,x
        clc
        adc newX
        sta temp
        lda #0
        sta moved,x
        ldy newY
.step   lda part,x
        clc
        adc temp
        sta part,x
        bcc .whole
        inc moved,x
.whole  dey
        bpl .step
        dex
        bpl .kind
        rts

Creatures subroutine
        ldx #LANES-1
.lane   lda laneT,x
        beq .move
        dec laneT,x
        bne .next
        jsr Random              ; a new one, far from the delver
        and #3
        sta laneK,x
        lda #LEFT
        ldy playerX
        cpy #76
        bcs .at
        lda #8
        ora laneK,x
        sta laneK,x
        lda #RIGHT
.at     sta laneX,x
        bne .next
.move   lda laneK,x
        and #3
        tay
        lda laneK,x
        and #8
        bne .left
        lda laneX,x
        clc
        adc moved,y
        cmp #RIGHT+1
        bcc .keep
        bcs .turn
.left   lda laneX,x
        sec
        sbc moved,y
        cmp #LEFT
        bcs .keep
.turn   lda laneK,x
        eor #8
        sta laneK,x
        bpl .next
.keep   sta laneX,x
.next   dex
        bpl .lane
        rts

; ---------------------------------------------------------------- what the kernel needs
Picture subroutine
        lda playerY
        clc
        adc #3
        jsr Gallery
        stx lit
        ldx level
        dex
        txa
        and #7
        tax
        lda Lights,x
        sta glow

        ldx #LANES-1
.lane   ldy laneX,x
        lda Spots-LEFT,y
        sta lanePos,x
        lda laneK,x
        and #3
        tay
        lda Colours,y
        sta laneCol,x
        lda laneT,x
        beq .alive
        cmp #PUFF
        lda #<Empty
        bcc .shape
        lda frame
        asl
        sta laneCol,x
        lda #<Sparks
        bne .shape
.alive  tya                     ; wings and legs
        asl
        tay
        txa
        asl
        asl
        clc
        adc frame
        and #8
        beq .frame
        iny
.frame  lda Shapes,y
.shape  sta laneGfx,x
        txa                     ; up and down by a row
        asl
        asl
        asl
        adc frame
        and #$30
        lsr
        lsr
        lsr
        lsr
        tay
        lda laneGfx,x
        clc
        adc Bob,y
        sta laneGfx,x
        dex
        bpl .lane

        ldy #0                  ; the delver: two pictures, or sparks
        lda dying
        bne .sparks
        lda frame
        and #8
        beq .copy
        ldy #TALL
        bne .copy
.sparks ldy #2*TALL
        lda frame
        and #4
        beq .copy
        ldy #3*TALL
.copy   ldx #0
.byte   lda Delver,y
        sta delver,x
        iny
        inx
        cpx #TALL
        bne .byte
        lda state
        cmp #PLAYING
        beq .done
        ldx #TALL-1             ; the mine is empty
        lda #0
.hide   sta delver,x
        dex
        bpl .hide
.done   rts

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
        bit CXM0FB
        bvc .noRock             ; the shot breaks a rock
        lda rockY
        cmp #NONE
        beq .noRock
        lda #$01
        jsr Points
        ldx #BURST
        jsr Play1
        jsr NoRock
        jmp .spent
.noRock bit CXM0FB
        bpl .noWall
.spent  lda #NONE
        sta shotY
.noWall bit CXM0P
        bpl .noShot             ; the shot hits a creature
        lda shotY
        cmp #NONE
        beq .noShot
        jsr Gallery
        lda laneT,x
        bne .noShot
        lda #SPARK
        sta laneT,x
        lda laneK,x
        and #3
        tax
        lda Worth,x
        jsr Points
        ldx #BURST
        jsr Play0
        lda #NONE
        sta shotY
.noShot bit CXBLPF
        bpl .noLand             ; the rock falls on a ledge
        lda rockY
        cmp #NONE
        beq .noLand
        ldx #THUD
        jsr Play1
        jsr NoRock
.noLand lda dying
        bne .done
        bit CXM1P
        bpl .noGem              ; the delver takes a gem
        ldx #CHIME
        jsr Play0
        lda #$10
        jsr Points
        lda oil
        clc
        adc #24
        bpl .oil
        lda #FULL
.oil    sta oil
        dec gems
        bne .more
        ldx #FANFARE
        jsr Play1
        lda #$50
        jsr Points
        jmp NewLevel
.more   jsr NewGem
.noGem  lda shield
        bne .done
        bit CXP0FB
        bvc .noFall             ; a rock hits the delver
        lda rockT
        beq Die
.noFall bit CXPPMM
        bpl .done               ; a creature does
        lda playerY
        jsr Gallery
        lda laneT,x
        beq Die
        lda playerY
        clc
        adc #TALL-3
        jsr Gallery
        lda laneT,x
        beq Die
.done   rts

Die     lda dying
        bne .done
        lda #56
        sta dying
        ldx #DOOM
        jmp Play1

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
;               -  zap burst chime thud doom fan drip
Lengths .byte   0,   8,  18,   16,  12,  56, 60,   6
Tones   .byte   0,   8,   8,    4,   3,   7,  4,  12
Pitches .byte   0,   4,  16,   15,  28,   0, 31,  10

Rocks   .byte $24,$94,$C4,$54,$34,$A4,$14,$64   ; rock of each level
Lights  .byte $F2,$80,$D0,$60,$40,$B0,$20,$50   ; its light
Colours .byte $CA,$8A,$4A,$5C                   ; slug, spider, bat, wisp
Speeds  .byte  52, 84,124,164                   ; 1/256 pixel per frame
Worth   .byte $02,$03,$05,$08                   ; points, BCD
Kinds   .byte $01,$08,$02,$09,$00,$0A           ; when a game begins
Entry   .byte  17,120, 40, 96, 64, 30
LaneRow .byte   2, 15, 28, 41, 54, 67
GemRow  .byte   7, 20, 33, 46, 59, 72, 33, 59
Bob     .byte   1,  2,  3,  2
Gaps1   .byte $FF,$0F,$F8,$FF,$E1,$F0,$FF,$C3   ; PF1 and PF2 of ledges
Gaps2   .byte $0F,$FF,$FE,$C3,$FF,$FF,$F0,$3F
Bits    .byte $80,$40,$20,$10,$08,$04,$02,$01   ; PF1 and PF2 from left to right
        .byte $01,$02,$04,$08,$10,$20,$40,$80
Copies  .byte $00,$00,$01,$03                   ; NUSIZ for the lives in reserve
Heads   .byte $00,$FF,$FF,$FF
Bar1    .byte $00,$00,$00,$00,$00,$00,$00,$00,$01,$03,$07,$0F,$1F,$3F,$7F,$FF
Bar2    .byte $80,$C0,$E0,$F0,$F8,$FC,$FE,$FF,$FF,$FF,$FF,$FF,$FF,$FF,$FF,$FF

Icon    .byte %01111110         ; upside down
        .byte %01000010
        .byte %01011010
        .byte %01011010
        .byte %01000010
        .byte %01111110
        .byte %00100100
        .byte %00011000

Delver  .byte %00111000
        .byte %01111110
        .byte %00110100
        .byte %00111000
        .byte %01111111
        .byte %11011011
        .byte %00101011
        .byte %01100100

        .byte %00111000
        .byte %01111110
        .byte %00110100
        .byte %00111000
        .byte %11111111
        .byte %01011011
        .byte %00111011
        .byte %00010100

        .byte %10000001
        .byte %01010010
        .byte %00111100
        .byte %01111110
        .byte %00111100
        .byte %01111110
        .byte %01011010
        .byte %10000001

        .byte %00100100
        .byte %10000001
        .byte %00101000
        .byte %01000010
        .byte %00010100
        .byte %10000001
        .byte %00100100
        .byte %10010001

; Pictures of creatures: three empty rows, eight rows, three empty rows. The
; kernel reads eleven rows from offset 1, 2 or 3.
        align 256
Bestiary
Slug    .byte 0,0,0
        .byte %00000000
        .byte %00000000
        .byte %00000101
        .byte %00000111
        .byte %00110011
        .byte %01111111
        .byte %11111110
        .byte %11111110
        .byte 0,0,0
        .byte %00000000
        .byte %00000000
        .byte %00001010
        .byte %00001110
        .byte %00000110
        .byte %00111110
        .byte %01111110
        .byte %11111111
        .byte 0,0,0
Spider  .byte %00010000
        .byte %00010000
        .byte %00111000
        .byte %10111010
        .byte %01111100
        .byte %10111010
        .byte %01101100
        .byte %10000010
        .byte 0,0,0
        .byte %00010000
        .byte %00010000
        .byte %00010000
        .byte %00111000
        .byte %11111110
        .byte %10111010
        .byte %10101010
        .byte %01000100
        .byte 0,0,0
Bat     .byte %00000000
        .byte %11000011
        .byte %11100111
        .byte %01111110
        .byte %00111100
        .byte %00011000
        .byte %00000000
        .byte %00000000
        .byte 0,0,0
        .byte %00000000
        .byte %00000000
        .byte %00011000
        .byte %01111110
        .byte %11111111
        .byte %11011011
        .byte %10000001
        .byte %00000000
        .byte 0,0,0
Wisp    .byte %00010000
        .byte %00011000
        .byte %00110000
        .byte %01011010
        .byte %01111100
        .byte %10111110
        .byte %01111100
        .byte %00111000
        .byte 0,0,0
        .byte %00001000
        .byte %00011000
        .byte %00001100
        .byte %01011010
        .byte %00111110
        .byte %01111101
        .byte %00111110
        .byte %00011100
        .byte 0,0,0
Spark   .byte %10010010
        .byte %01010100
        .byte %00000000
        .byte %11000110
        .byte %00000000
        .byte %01010100
        .byte %10010010
        .byte %00000000
Nothing .byte 0,0,0,0,0,0,0,0,0,0,0,0,0,0

Sparks  = Spark-3
Empty   = Nothing
Shapes  .byte <(Slug+0),<(Slug+11),<(Spider-3),<(Spider+8)
        .byte <(Bat-3),<(Bat+8),<(Wisp-3),<(Wisp+8)

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
Name    .byte $00,$3B,$4A,$4A,$5A,$42,$42,$3A
        .byte $00,$CC,$12,$12,$12,$12,$12,$0C
        .byte $00,$8B,$DA,$AA,$AA,$8A,$8A,$8B
        .byte $00,$9E,$50,$50,$5C,$50,$50,$9E
        .byte $00,$F1,$82,$82,$84,$84,$84,$84
        .byte $00,$1E,$90,$90,$5C,$50,$50,$5E
GameOver .byte $00,$1D,$25,$25,$2D,$21,$21,$1C
        .byte $00,$28,$28,$28,$EA,$2A,$2D,$C8
        .byte $00,$BC,$A0,$A0,$B8,$A0,$A0,$BC
        .byte $00,$30,$49,$49,$4A,$4A,$4A,$32
        .byte $00,$8F,$48,$48,$2E,$28,$28,$2F
        .byte $00,$48,$50,$60,$70,$48,$48,$70

; Pixels LEFT to RIGHT as the kernel wants them: fine motion above, rounds of the
; coarse loop below.
N       set LEFT-7
Spots   repeat RIGHT-LEFT+1
        .byte (((((N%15)+1)^7)<<4)&$F0)|(N/15)
N       set N+1
        repend

        org $FFFC
        .word Start
        .word Start
