/**
 * Child processes of a test file end with its thread or process, also when AVA terminates it at its time limit or the run
 * is killed, so that no exit handler runs. A shell waits for the end of its input, a pipe from that thread or process.
 */
import { ChildProcess, spawn } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import type { Writable } from 'node:stream';

/** Runs a shell script that does not keep this process alive. Returns its input. */
const startGuard = (script: string): Writable => {
  const guard = spawn('sh', ['-c', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  guard.unref();
  const { stdin } = guard;
  // A pipe to a child process is a socket, which would keep this process alive.
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  stdin.on('error', () => undefined);
  return stdin;
};

/** Does not affect detached processes, which have a process group of their own. */
const endChildren = `
group=$(ps -o pgid= -p "$PPID")
left=' '
while read -r event pid; do
  case $event in
    started) left="$left$pid " ;;
    ended) left="\${left%%" $pid "*} \${left#*" $pid "}" ;;
  esac
done
for signal in TERM KILL; do
  found=
  for pid in $left; do
    if [ "$(ps -o pgid= -p "$pid")" = "$group" ]; then
      found=yes
      kill -s $signal "$pid"
    fi
  done
  if [ -z "$found" ]; then exit; fi
  sleep 2
done
`;

let isWatching = false;

/** Ends all child processes from now on with this process. */
export const endChildrenWithProcess = (): void => {
  if (isWatching) return;
  isWatching = true;
  const pids = startGuard(endChildren);
  subscribe('child_process', (message) => {
    if (typeof message !== 'object' || message === null || !('process' in message)) return;
    const { process: child } = message;
    if (!(child instanceof ChildProcess)) return;
    child.once('spawn', () => {
      const { pid } = child;
      pids.write(`started ${pid}\n`);
      child.once('exit', () => pids.write(`ended ${pid}\n`));
    });
  });
};

/** Ends all processes of a process group with this process. */
export const endGroupWithProcess = (group: number): void => {
  startGuard(`while read -r _; do :; done
    if kill -s TERM -- -${group}; then sleep 2; kill -s KILL -- -${group}; fi`);
};
