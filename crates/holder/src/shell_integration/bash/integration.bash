# Tells the terminal where a prompt is, which command runs and how it ended (OSC 133), and the
# working directory (OSC 7). Needs Bash 4.4; an older one goes on without it. Sourcing it again, or in
# a shell that has it already, does nothing.
#
# Between Enter and the command Bash runs nothing of ours but the expansions of PS0. So what PS0
# has to do is written as expansions: `${list[expression]@P}` chooses what is expanded,
# `${__wigwag_none[a=1,0]}` sets a number and `${__wigwag_none/"${list[n]:=text}"}` a text, both without
# showing anything. The one thing that needs a builtin is the last entry of the history: a subshell
# gets it before Bash 5.3, nothing is forked since.
#
# Each variable is an array, though most have one element only: arrays are never in the environment
# of a program, also after `set -a`. PS0 and PS1 get a reference to ours at their end, which says
# nothing in a nested shell that inherits them. No builtin is called that need not be, and where one is,
# no alias or function of that name comes first.

if [[ $- == *i* && -z ${!__wigwag_@} ]] && ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)); then

# Empty, and stays so.
__wigwag_none=('')
# 1 from a prompt on, 0 from a command on, and before the first prompt.
__wigwag_ready=(0)
# The number that the next line gets in the history; -1 where its text is not to be known.
__wigwag_number=(-1)
# What it means that this number is still the next one when a command starts. 0: the line was kept
# out of the history. 1: it is the last one once more. 2: compare that one with what it was.
__wigwag_repeat=(0)
# 1: each line of a command has a number of its own (without the option cmdhist).
__wigwag_single=(0)
# The next number when the last command started.
__wigwag_after=(-1)
# The entry of the history that was the last one then.
__wigwag_last=('')
# How many commands there were.
__wigwag_count=(0)
# What is worked out for a command, in eight places each: the entry, the line, ...
__wigwag_step=('')
# What our function tells, and the path in it.
__wigwag_told=('')
__wigwag_path=('')
__wigwag_code=('')
__wigwag_host=('\H')
__wigwag_host=("${__wigwag_host@P}")
__wigwag_hook=('__wigwag_prompt "$?"')
if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 503)); then
    __wigwag_hook=('__wigwag_prompt "$?" "${ \builtin trap -p DEBUG; }"')
fi
__wigwag_newline=($'\n')
__wigwag_tab=($'\t')

# Puts our function back at the end of PROMPT_COMMAND, far behind what a list of the user's may have.
__wigwag_arm=('${__wigwag_none/"${PROMPT_COMMAND[133]:=$__wigwag_hook}"}')
# Where that is done when our function did not run before a prompt: in PS0 [0], in PS1 [2].
__wigwag_lost=("$__wigwag_arm" '' "$__wigwag_arm")

# The end of the prompt [1]. Where our function did not run before it, its beginning too [0]; where it
# ran and leaves that to PS1 [2].
__wigwag_mark=(
    '\e]133;D;$?@AID@\a\e]133;A@AID@\a\e]133;B@AID@\a${__wigwag_none[__wigwag_number=HISTCMD,__wigwag_repeat=0,__wigwag_ready=1,0]}${__wigwag_lost[2]@P}'
    '\e]133;B@AID@\a${__wigwag_none[__wigwag_number=__wigwag_number<0?-1:HISTCMD,0]}'
    '\e]133;D;$?@AID@\a\e]133;A@AID@\a\e]133;B@AID@\a${__wigwag_none[__wigwag_number=__wigwag_number<0?-1:HISTCMD,__wigwag_ready=1,0]}'
)

# A line as it is told: in percent encoding, or, since replacing takes long in a long line, as a
# quoted word.
__wigwag_form=(
    '${__wigwag_none/"${__wigwag_step[8*__wigwag_count+2]:=${__wigwag_step[8*__wigwag_count+1]//%/%25}}"}${__wigwag_none/"${__wigwag_step[8*__wigwag_count+3]:=${__wigwag_step[8*__wigwag_count+2]//;/%3B}}"}${__wigwag_none/"${__wigwag_step[8*__wigwag_count+4]:=${__wigwag_step[8*__wigwag_count+3]//"$__wigwag_newline"/%0A}}"}${__wigwag_none/"${__wigwag_step[8*__wigwag_count+5]:=${__wigwag_step[8*__wigwag_count+4]//"$__wigwag_tab"/%09}}"}\e]133;C@AID@;cmdline_url=${__wigwag_step[8*__wigwag_count+5]//[[:cntrl:]]}\a'
    '${__wigwag_none/"${__wigwag_step[8*__wigwag_count+2]:=${__wigwag_step[8*__wigwag_count+1]@Q}}"}\e]133;C@AID@;cmdline=${__wigwag_step[8*__wigwag_count+2]:0:120000}\a'
)
# The last entry of the history, as `history` shows it, from a subshell [0], or without one [1] where no
# DEBUG trap would take it for a command of the user's. One in the subshell may print something.
__wigwag_entries=(
    '$({ HISTTIMEFORMAT= \\builtin history 1 >&3; } 3>&1 >/dev/null 2>&1)'
    '${ { HISTTIMEFORMAT= \\builtin history 1 >&3; } 3>&1 >/dev/null 2>&1; }'
)
__wigwag_forkless=(0)
# The start of a command: without its line; with the last entry; with that one if it is another
# than before, and not an older one that was edited (it has a star).
__wigwag_command=(
    '\e]133;C@AID@\a'
    '${__wigwag_none/"${__wigwag_step[8*__wigwag_count]:=${__wigwag_entries[__wigwag_forkless]@P}}"}${__wigwag_none/"${__wigwag_step[8*__wigwag_count+1]:=${__wigwag_step[8*__wigwag_count]#*[0-9][ *] }}"}${__wigwag_form[${#__wigwag_step[8*__wigwag_count+1]}>1024]@P}${__wigwag_tmux@P}'
    '${__wigwag_none/"${__wigwag_step[8*__wigwag_count]:=${__wigwag_entries[__wigwag_forkless]@P}}"}${__wigwag_none/"${__wigwag_step[8*__wigwag_count+6]:=${__wigwag_last:+${__wigwag_step[8*__wigwag_count]#"$__wigwag_last"}}}"}${__wigwag_none/"${__wigwag_step[8*__wigwag_count+7]:=${__wigwag_step[8*__wigwag_count]%%[0-9][*] *}}"}${__wigwag_command[${#__wigwag_step[8*__wigwag_count+6]}>0&&${#__wigwag_step[8*__wigwag_count+7]}==${#__wigwag_step[8*__wigwag_count]}]@P}'
)
# All that PS0 does.
__wigwag_line=('${__wigwag_none[__wigwag_count++*0]}${__wigwag_lost[__wigwag_ready]@P}${__wigwag_command[__wigwag_number<0?0:HISTCMD==__wigwag_number?__wigwag_repeat:__wigwag_single==0||HISTCMD-__wigwag_number==1]@P}${__wigwag_none[__wigwag_after=HISTCMD,__wigwag_number=-1,__wigwag_ready=0,0]}')

# What stands in PS0, [1] without the option promptvars, and in PS1.
__wigwag_ps0=('${__wigwag_line:+${__wigwag_line@P}}' '\e]133;C@AID@\a')
__wigwag_ps1=('\[${__wigwag_mark:+${__wigwag_mark[__wigwag_ready]@P}}\]')

# At each prompt, with the exit code of the command; from Bash 5.3 on with the DEBUG trap, which is not
# known inside a function.
__wigwag_prompt() {
    if __wigwag_works; then
        if [[ $__wigwag_hook == *' RETURN' ]]; then
            # The startup files were interrupted.
            __wigwag_hook=${__wigwag_hook%'; \trap - RETURN'}
            PROMPT_COMMAND[133]=$__wigwag_hook
        fi
        __wigwag_forkless=0
        [[ -n ${2-trap} ]] || __wigwag_forkless=1
        __wigwag_history
        __wigwag_encode
        __wigwag_told=$'\e]7;file://'$__wigwag_host$__wigwag_path$'\a'
        if ((__wigwag_ready == 0)); then
            [[ -z $__wigwag_tmux ]] || __wigwag_tmux_done
            __wigwag_told=$'\e]133;D;'$1$'@AID@\a'$__wigwag_told
        fi
        __wigwag_ready=1
        __wigwag_told+=$'\e]133;A@AID@\a'
        __wigwag_dress || __wigwag_told+=$'\e]133;B@AID@\a'
        \builtin printf %s "$__wigwag_told" >&3
    fi
} 3>&2 2>/dev/null

# The same before Bash 5.1, where PROMPT_COMMAND is no list: the exit code is that of whatever the user
# has there, so PS1 tells it.
__wigwag_prompt_of_old() {
    if __wigwag_works; then
        __wigwag_history
        __wigwag_encode
        __wigwag_told=$'\e]7;file://'$__wigwag_host$__wigwag_path$'\a'
        if ((__wigwag_ready == 0)) && [[ -n $__wigwag_tmux ]]; then
            __wigwag_tmux_done
        fi
        if __wigwag_dress; then
            __wigwag_ready=2
        else
            ((__wigwag_ready)) || __wigwag_told=$'\e]133;D@AID@\a'$__wigwag_told
            __wigwag_told+=$'\e]133;A@AID@\a\e]133;B@AID@\a'
            __wigwag_ready=1
        fi
        \builtin printf %s "$__wigwag_told" >&3
    fi
} 3>&2 2>/dev/null

# Once, when the startup files were read. Returns the exit code it is given. With a second argument `set -e`
# begins again, where that would have ended the shell with the code.
__wigwag_start() {
    if __wigwag_works; then
        __wigwag_ready=1
        __wigwag_hook=${__wigwag_hook%'; \trap - RETURN'}
        if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then
            __wigwag_lost=('' '' '')
            if [[ ${PROMPT_COMMAND+${PROMPT_COMMAND@a}} == *r* ]]; then
                __wigwag_stop
            else
                PROMPT_COMMAND=${PROMPT_COMMAND:+$PROMPT_COMMAND$'\n'}'${__wigwag_none+__wigwag_prompt_of_old}'
            fi
        elif [[ ${PROMPT_COMMAND+${PROMPT_COMMAND@a}} != *[rx]* ]]; then
            PROMPT_COMMAND[133]=$__wigwag_hook
        else
            # It cannot become a list, or would be in no environment as one: PS1 does it alone.
            __wigwag_ready=0 __wigwag_lost=('' '' '')
            if __wigwag_dress; then
                # Where something sets PS1 anew each time, it has to become a list.
                [[ ${PROMPT_COMMAND@a} == *r* ]] || __wigwag_lost=("$__wigwag_arm" '' '')
            elif [[ ${PROMPT_COMMAND@a} == *r* ]]; then
                __wigwag_stop
            else
                PROMPT_COMMAND[133]=$__wigwag_hook
            fi
        fi
    fi
    [[ -z ${2-} ]] || \builtin set -e
    \builtin return "$1"
} 2>/dev/null

# Whether our variables are ours and PS0 can tell a command: all is off once somebody made one read-only.
__wigwag_works() {
    if [[ ${PS0+${PS0@a}} == *r* && $PS0 != *"$__wigwag_ps0"* && $PS0 != *"${__wigwag_ps0[1]}"* ]]; then
        __wigwag_stop
        \builtin return 1
    fi
    case ${__wigwag_after@a}${__wigwag_arm@a}${__wigwag_code@a}${__wigwag_command@a}\
${__wigwag_count@a}${__wigwag_entries@a}${__wigwag_forkless@a}${__wigwag_form@a}\
${__wigwag_hook@a}${__wigwag_host@a}${__wigwag_last@a}${__wigwag_line@a}\
${__wigwag_lost@a}${__wigwag_mark@a}${__wigwag_newline@a}${__wigwag_none@a}\
${__wigwag_number@a}${__wigwag_path@a}${__wigwag_ps0@a}${__wigwag_ps1@a}\
${__wigwag_ready@a}${__wigwag_repeat@a}${__wigwag_single@a}${__wigwag_step@a}\
${__wigwag_tab@a}${__wigwag_tmux@a}${__wigwag_told@a} in
        *r*)
            __wigwag_stop
            ((0))
            ;;
    esac
}

# Leaves the shell as it is without us.
__wigwag_stop() {
    __wigwag_undress
    \builtin unset -v __wigwag_line __wigwag_mark
    [[ ${PROMPT_COMMAND[133]-} != "$__wigwag_hook" ]] || \builtin unset -v 'PROMPT_COMMAND[133]'
}

# Puts our references into PS0 and PS1. Fails where PS1 is not to be changed: others would see it in their
# environment.
__wigwag_dress() {
    if [[ :$BASHOPTS: != *:promptvars:* ]]; then
        # Nothing is expanded: of a command only its start is told, and there was one for all we know.
        __wigwag_undress
        [[ ${PS0+${PS0@a}} == *[rx]* ]] || PS0=${PS0-}${__wigwag_ps0[1]}
        __wigwag_ready=0
        ((0))
    else
        if [[ ${PS0-} == *"${__wigwag_ps0[1]}"* && ${PS0@a} != *r* ]]; then
            PS0=${PS0//"${__wigwag_ps0[1]}"/}
        fi
        if [[ ${PS0-} != *"$__wigwag_ps0"* && ${PS0+${PS0@a}} != *r* ]]; then
            PS0=${PS0-}$__wigwag_ps0
        fi
        # After `set -a` whatever is set is for other programs.
        if [[ ${PS1+set${PS1@a}} == set && $- != *a* ]]; then
            [[ $PS1 == *"$__wigwag_ps1" ]] || PS1=${PS1//"$__wigwag_ps1"/}$__wigwag_ps1
        else
            [[ ${PS1-} != *"$__wigwag_ps1"* || ${PS1@a} == *r* ]] || PS1=${PS1//"$__wigwag_ps1"/}
            ((0))
        fi
    fi
}

__wigwag_undress() {
    [[ ${PS0-} != *"${__wigwag_ps0[1]}"* || ${PS0@a} == *r* ]] || PS0=${PS0//"${__wigwag_ps0[1]}"/}
    [[ ${PS0-} != *"$__wigwag_ps0"* || ${PS0@a} == *r* ]] || PS0=${PS0//"$__wigwag_ps0"/}
    [[ ${PS1-} != *"$__wigwag_ps1"* || ${PS1@a} == *r* ]] || PS1=${PS1//"$__wigwag_ps1"/}
}

# How the next line will be found in the history.
__wigwag_history() {
    __wigwag_last=
    if ((HISTCMD == __wigwag_after)); then
        __wigwag_last=${__wigwag_step[8*__wigwag_count]-}
    fi
    __wigwag_step=('')
    __wigwag_number=-1 __wigwag_repeat=0 __wigwag_single=0
    if [[ :$SHELLOPTS: == *:history:* && ${HISTTIMEFORMAT+${HISTTIMEFORMAT@a}} != *r* ]]; then
        __wigwag_number=$HISTCMD
        if [[ :$BASHOPTS: != *:cmdhist:* ]]; then
            __wigwag_single=1
            [[ :${HISTCONTROL-}: != *:erasedups:* ]] || __wigwag_number=-1
        elif [[ :${HISTCONTROL-}: == *:@(ignoredups|erasedups):* &&
            :${HISTCONTROL-}: != *:@(ignorespace|ignoreboth):* && -z ${HISTIGNORE-} ]]; then
            __wigwag_repeat=1
        elif [[ :${HISTCONTROL-}: == *:erasedups:* ]]; then
            __wigwag_repeat=2
        fi
    fi
}

# The working directory as the path of a URL.
__wigwag_encode() {
    __wigwag_path=${PWD//%/%25}
    __wigwag_path=${__wigwag_path// /%20}
    __wigwag_path=${__wigwag_path//;/%3B}
    __wigwag_path=${__wigwag_path//\#/%23}
    __wigwag_path=${__wigwag_path//\?/%3F}
    if [[ $__wigwag_path == *[[:cntrl:]]* ]]; then
        for __wigwag_told in {1..31} 127; do
            \builtin printf -v __wigwag_told '%02X' "$__wigwag_told"
            \builtin printf -v __wigwag_code "\\x$__wigwag_told"
            __wigwag_path=${__wigwag_path//"$__wigwag_code"/%$__wigwag_told}
        done
    fi
}

# Inside tmux the command is also an option of the pane, for those who start to watch it later. Both run
# in the background, and whichever comes last to tmux: a command that is over is not told any more.
__wigwag_tmux=('')
if [[ -n ${TMUX-} && -n ${TMUX_PANE-} ]]; then
    __wigwag_tmux=('${__wigwag_none/"$(__wigwag_tmux_command)"}')
fi

# In a subshell, with the line at hand.
__wigwag_tmux_command() {
    __wigwag_last="'"
    __wigwag_told=${__wigwag_step[8*__wigwag_count+1]:0:4096}
    __wigwag_told=$__wigwag_last${__wigwag_told//"$__wigwag_last"/"'\\''"}$__wigwag_last
    \command tmux if-shell -F -t "$TMUX_PANE" "#{!=:#{@wigwag_ended},$$.$__wigwag_count}" \
        "set-option -p -t $TMUX_PANE @wigwag_number $$.$__wigwag_count ; set-option -p -t $TMUX_PANE @wigwag_command $__wigwag_told" \
        </dev/null >/dev/null 2>&1 &
}

__wigwag_tmux_done() {
    (
        \command tmux set-option -p -t "$TMUX_PANE" @wigwag_ended "$$.$__wigwag_count" ';' \
            if-shell -F -t "$TMUX_PANE" "#{==:#{@wigwag_number},$$.$__wigwag_count}" \
            "set-option -p -u -t $TMUX_PANE @wigwag_command" </dev/null >/dev/null 2>&1 &
    )
}

# A startup file that is interrupted leaves PS0 to us, which puts the rest in its place.
PS0=${PS0-}$__wigwag_ps0

# Where Wigwag starts the shell, the startup files come first.
[[ ${1-} == injected ]] || __wigwag_start "$?"

fi
