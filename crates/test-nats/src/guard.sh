# Runs one program for a test process and cleans up when that process is gone, even by SIGKILL:
# then `read` finds the end of the pipe.
#
# Arguments: the folder that goes with the program, then the program and its arguments.
# Stdin: names of signals for the program, one a line; `leave` leaves the folder to another guard.
# Stdout: nothing, but only the program has it open, so it ends when the program has ended.
folder=$1
shift
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

# There is nothing in it to be saved.
kill -KILL "$program" 2>/dev/null
wait "$program"
rm -rf "$folder"
