# Types a file into an interactive bash without bracketed paste, as that of macOS, then each further line of standard
# input, as a person pastes a command and then keys. Prints what the terminal shows, up to <end>.
# paste.py <file> [<what is shown before a line of standard input is typed> …]
import os, pty, select, sys, termios, time

with open(sys.argv[1]) as file:
    pasted = file.read()
child, terminal = pty.fork()
if child == 0:
    os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
shown = b""


def wait(until):
    """Reads until the text is shown anew, or nothing more comes."""
    global shown
    said, end = b"", time.time() + 20
    while until not in said and time.time() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                said += os.read(terminal, 65536)
            except OSError:
                break
    shown += said


os.write(terminal, b"bind 'set enable-bracketed-paste off'; PS1='ready''> '\r")
wait(b"ready> ")
os.write(terminal, pasted.replace("\n", "\r").encode())
for place, line in enumerate(sys.stdin, 2):
    if place < len(sys.argv):
        wait(sys.argv[place].encode())
        # A program shows its question before it asks the terminal not to show the answer.
        while termios.tcgetattr(terminal)[3] & termios.ECHO:
            time.sleep(0.01)
    else:
        time.sleep(0.5)
    os.write(terminal, line.rstrip("\n").encode() + b"\r")
wait(b"<end>")
print(shown.decode(errors="replace"))
