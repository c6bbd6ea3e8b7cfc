# Tells the terminal where a prompt is, which command runs and how it ended (OSC 133), and the
# working directory (OSC 7). Builtins only: no process is started, but inside tmux.
#
# fish 4 does all that itself, unless a feature flag says no; then only the tmux option is ours.
# What stands behind a prompt is told before it: fish has no hook there, and the function
# fish_prompt is the user's. Sourcing this again, or in a shell that has it already, does nothing.

# `return` at the end keeps the status that the first prompt shows.
set -l __wigwag_status $status

if status is-interactive; and not functions -q __wigwag_at_prompt
    # 1: known and off.
    status test-feature mark-prompt 2>/dev/null
    set -l __wigwag_feature $status
    if string match -qr -- '^[0-3]\.' $version; or test $__wigwag_feature -eq 1
        function __wigwag_at_prompt --on-event fish_prompt
            printf '\e]7;file://%s%s\a\e]133;A@AID@\a\e]133;B@AID@\a' $hostname (string escape --style=url -- $PWD)
        end

        # The line as it was typed. One that is kept out of the history is not told.
        function __wigwag_at_command --on-event fish_preexec
            if string match -q -- ' *' "$argv[1]"; or set -q fish_private_mode
                printf '\e]133;C@AID@\a'
            else
                set -l line (string sub -l 16384 -- "$argv[1]" | string collect)
                printf '\e]133;C@AID@;cmdline_url=%s\a' (string escape --style=url -- "$line")
            end
        end

        function __wigwag_at_end --on-event fish_postexec
            printf '\e]133;D;%s@AID@\a' $status
        end
    else
        function __wigwag_at_prompt
        end
    end

    # The pane option for those who start to watch the pane later. Both run in the background, and
    # whichever comes last to tmux: a command that is over is not told any more. `sh` starts them, so
    # that $last_pid stays the user's.
    if set -q TMUX
        set -g __wigwag_number 0

        function __wigwag_tmux_command --on-event fish_preexec
            set -g __wigwag_number (math $__wigwag_number + 1)
            string match -q -- ' *' "$argv[1]"; or set -q fish_private_mode; and return
            set -l text (string sub -l 4096 -- "$argv[1]" | string replace -a "'" "'\\''" | string collect)
            sh -c 'tmux if-shell -F -t "$1" "#{!=:#{@wigwag_ended},$2}" \
                "set-option -p -t $1 @wigwag_number $2 ; set-option -p -t $1 @wigwag_command $3" &' \
                sh $TMUX_PANE $fish_pid.$__wigwag_number "'$text'" </dev/null >/dev/null 2>&1
        end

        function __wigwag_tmux_end --on-event fish_postexec
            sh -c 'tmux set-option -p -t "$1" @wigwag_ended $2 ";" if-shell -F -t "$1" \
                "#{==:#{@wigwag_number},$2}" "set-option -p -u -t $1 @wigwag_command" &' \
                sh $TMUX_PANE $fish_pid.$__wigwag_number </dev/null >/dev/null 2>&1
        end
    end
end

return $__wigwag_status
