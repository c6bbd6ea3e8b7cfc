# Tells the terminal where a prompt is, which command runs and how it ended (OSC 133), and the
# working directory (OSC 7). Builtins only: no process is started, but inside tmux.
#
# It works from the first prompt on, when all startup files were read: hooks added earlier vanish
# where a .zshrc assigns the arrays. A scheduled command comes just before a prompt, after every
# hook. So each command schedules a look at whether it took our hooks away, as sourcing a .zshrc
# does. Sourcing this again, or in a shell that has it already, does nothing.
#
# The text below is one string, so that no alias of the user is expanded in it (a global alias `C`
# would be); it has no single quote for that reason. Each hook has options of its own and no standard
# error: neither `set -x` nor an error of ours shows up between the user's lines.
#
# In __wigwag_state: 1, whether a command runs; 2, the prompt with our mark; 3, the user's own;
# 4, the number of the command. Where somebody made it read-only, the marks are sent without it.

[[ -o interactive ]] && () {
    builtin emulate -L zsh -o no_aliases
    builtin typeset -f __wigwag_start >/dev/null || builtin eval "$1"
} '
# At the first prompt.
__wigwag_start() {
    {
        builtin emulate -L zsh
        # A startup file may itself read a line: then a later prompt is the first.
        if [[ " ${zsh_eval_context[*]} " == *" file "* ]]; then
            builtin sched +1 "{ __wigwag_start } 2>/dev/null"
            return 0
        fi
        [[ ${(t)__wigwag_state} == *readonly* ]] && return 0
        builtin typeset -ga __wigwag_state
        __wigwag_state=("" "" "" 0)
        __wigwag_hook
        __wigwag_prompt
        return 0
    } 2>/dev/null
}

# Takes the places among the hooks: the end of a command is told before every other hook, so that
# titles set there belong to the shell; a prompt and a command after all of them.
__wigwag_hook() {
    {
        builtin emulate -L zsh
        if [[ ${(t)precmd_functions} != *readonly* ]]; then
            builtin typeset -ga precmd_functions
            precmd_functions=(__wigwag_done ${precmd_functions:#__wigwag_*} __wigwag_prompt)
        fi
        if [[ ${(t)preexec_functions} != *readonly* ]]; then
            builtin typeset -ga preexec_functions
            preexec_functions=(${preexec_functions:#__wigwag_*} __wigwag_command)
        fi
        return 0
    } 2>/dev/null
}

# The first hook before a prompt. The exit code of the command is given where another hook was first.
__wigwag_done() {
    {
        local -i code=${1:-$?}
        builtin emulate -L zsh
        if [[ -n $__wigwag_state[1] ]]; then
            [[ ${(t)__wigwag_state} == *readonly* ]] || __wigwag_state[1]=
            __wigwag_send "\e]133;D;$code@AID@\a"
        fi
        [[ $precmd_functions[-1] == __wigwag_prompt && $preexec_functions[-1] == __wigwag_command ]] ||
            __wigwag_hook
        return 0
    } 2>/dev/null
}

# After every hook, at the prompt that follows a command: does what ours have not done.
__wigwag_return() {
    {
        local -i code=$?
        builtin emulate -L zsh
        [[ -n $__wigwag_state[1] && ${(t)__wigwag_state} != *readonly* ]] || return 0
        # A command that edits a line itself (vared) is not over.
        if builtin zle; then
            builtin sched +1 "{ __wigwag_return } 2>/dev/null"
            return 0
        fi
        __wigwag_done $code
        __wigwag_prompt
        return 0
    } 2>/dev/null
}

# The last hook before a prompt.
__wigwag_prompt() {
    {
        local percent=
        [[ -o promptpercent ]] && percent=1
        builtin emulate -L zsh
        local REPLY esc bel mark
        __wigwag_encode "$PWD"
        __wigwag_send "\e]7;file://%s%s\a\e]133;A@AID@\a" "$HOST" "$REPLY"
        [[ -n $TMUX && -n $__wigwag_state[4] ]] && __wigwag_tmux_done
        # Where the prompt ends is told by the prompt itself, which is as the user set it while a
        # command runs.
        [[ -n $__wigwag_state[2] && $PS1 == "$__wigwag_state[2]" ]] && return 0
        esc=${(g::):-\\e} bel=${(g::):-\\a}
        mark="%{$esc]133;B@AID@$bel%}"
        if [[ -n $percent && ${(t)PS1}${(t)__wigwag_state} != *readonly* ]]; then
            __wigwag_state[3]=${PS1//"$mark"/}
            PS1=$__wigwag_state[3]$mark
            __wigwag_state[2]=$PS1
        else
            __wigwag_send "\e]133;B@AID@\a"
        fi
        return 0
    } 2>/dev/null
}

# The last hook before a command, with the line as it was typed. One that is kept out of the
# history is not told: it starts with a space, or an alias in it does.
__wigwag_command() {
    {
        local hidden=
        [[ -o histignorespace ]] && hidden=maybe
        builtin emulate -L zsh
        local line=${1[1,16384]} word REPLY
        if [[ -n $hidden && $line != " "* ]]; then
            hidden=
            for word in ${(z)line[1,1024]}; do
                [[ $aliases[$word] == " "* || $galiases[$word] == " "* ]] && hidden=1
            done
        fi
        if [[ -n $__wigwag_state[2] && $PS1 == "$__wigwag_state[2]" && ${(t)PS1} != *readonly* ]]; then
            PS1=$__wigwag_state[3]
        fi
        if [[ ${(t)__wigwag_state} != *readonly* ]]; then
            __wigwag_state[1]=1
            (( __wigwag_state[4]++ ))
            # It stands in the list while the command runs: not where the list is what it is about.
            [[ $line == *sched* ]] || builtin sched +0 "{ __wigwag_return } 2>/dev/null"
        fi
        if [[ -n $hidden || -z $line ]]; then
            __wigwag_send "\e]133;C@AID@\a"
        else
            __wigwag_encode "$line"
            __wigwag_send "\e]133;C@AID@;cmdline_url=%s\a" "$REPLY"
            [[ -n $TMUX ]] && __wigwag_tmux_command "$line"
        fi
        return 0
    } 2>/dev/null
}

# Percent-encodes into REPLY what would end or break the sequence.
__wigwag_encode() {
    builtin emulate -L zsh -o extended_glob -o no_multibyte
    local MATCH low=${(g::):-\\x01} high=${(g::):-\\x1f} del=${(g::):-\\x7f}
    local -i MBEGIN MEND
    REPLY=${1//\%/%25}
    REPLY=${REPLY//;/%3B}
    REPLY=${REPLY//"${(g::):-\\n}"/%0A}
    if [[ $REPLY == *[$low-$high$del]* ]]; then
        REPLY=${REPLY//(#m)[$low-$high$del]/%${(l:2::0:)$(( [##16] #MATCH ))}}
    fi
    return 0
}

# Writes to the terminal, as printf would, wherever standard output goes.
__wigwag_send() {
    builtin emulate -L zsh
    if [[ -t 1 ]]; then
        builtin printf "$@"
    else
        builtin printf "$@" >$TTY
    fi
    return 0
}

# The pane option for those who start to watch the pane later. Both run in the background, and
# whichever comes last to tmux: a command that is over is not told any more.
__wigwag_tmux_command() {
    {
        builtin emulate -L zsh
        local number=$$.$__wigwag_state[4] text=${1[1,4096]} quote=${(g::):-\\x27}
        text=$quote${text//$quote/$quote\\$quote$quote}$quote
        ( command tmux if-shell -F -t "$TMUX_PANE" "#{!=:#{@wigwag_ended},$number}" \
            "set-option -p -t $TMUX_PANE @wigwag_number $number ; set-option -p -t $TMUX_PANE @wigwag_command $text" \
            </dev/null >/dev/null & )
        return 0
    } 2>/dev/null
}

__wigwag_tmux_done() {
    {
        builtin emulate -L zsh
        local number=$$.$__wigwag_state[4]
        ( command tmux set-option -p -t "$TMUX_PANE" @wigwag_ended $number ";" \
            if-shell -F -t "$TMUX_PANE" "#{==:#{@wigwag_number},$number}" \
            "set-option -p -u -t $TMUX_PANE @wigwag_command" </dev/null >/dev/null & )
        return 0
    } 2>/dev/null
}

if builtin zmodload zsh/sched 2>/dev/null; then
    builtin sched +0 "{ __wigwag_start } 2>/dev/null"
else
    builtin typeset -ga precmd_functions
    precmd_functions+=(__wigwag_start)
fi
'
