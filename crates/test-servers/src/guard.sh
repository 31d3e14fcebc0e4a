# Runs one program for a test process, and cleans up when that process ends, even by SIGKILL: then
# `read` reaches the end of the pipe.
#
# Arguments: the signals that end the program, the gentlest first; the folder to remove; the program
# and its arguments.
# Stdin: names of signals for the program, one per line; `leave` leaves the folder to another guard.
# Stdout: nothing is written. Only the program has it open, so it closes when the program and all
# its children have ended.
signals=$1
folder=$2
shift 2
"$@" 3>&1 </dev/null >>"$folder/log" 2>&1 &
program=$!
exec >>"$folder/log" 2>&1
trap '' HUP INT TERM

while read -r order; do
    if [ "$order" = leave ]; then
        wait "$program"
        exit 0
    fi
    kill -"$order" "$program"
done

for signal in $signals; do
    kill -"$signal" "$program" 2>/dev/null || break
    tries_left=250
    while [ "$tries_left" -gt 0 ]; do
        kill -0 "$program" 2>/dev/null || break 2
        sleep 0.02
        tries_left=$((tries_left - 1))
    done
done
rm -rf "$folder"
