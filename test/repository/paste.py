# Types a file into an interactive bash without bracketed paste, as that of macOS, then each further line of standard
# input, as a person pastes a command and then keys. Prints what the terminal shows at the end.
import os, pty, select, sys, time

with open(sys.argv[1]) as file:
    pasted = file.read()
child, terminal = pty.fork()
if child == 0:
    os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
shown = b""


def wait(until):
    """Reads until the text is shown, or nothing more comes."""
    global shown
    end = time.time() + 20
    while until not in shown and time.time() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                shown += os.read(terminal, 65536)
            except OSError:
                return


os.write(terminal, b"bind 'set enable-bracketed-paste off'; PS1='ready''> '\r")
wait(b"ready> ")
os.write(terminal, pasted.replace("\n", "\r").encode())
time.sleep(0.5)
for line in sys.stdin:
    os.write(terminal, line.rstrip("\n").encode() + b"\r")
    time.sleep(0.2)
wait(b"<end>")
print(shown.decode(errors="replace"))
