/** A call in a terminal: one row per turn or event, and a status line below. */
import type { CallNews } from '#src/client/client.ts';
import { floorOf } from '#src/console/call/floor.ts';
import { isHangUpAtOnce, whyEnded } from '#src/console/call/why-ended.ts';
import type { Clock } from '#src/domain/clock.ts';
import { terminalLine } from '#src/domain/terminal-text.ts';
import { rowOf } from './call-rows.ts';
import type { CallView, EndedCall } from './call-view.ts';
import { createLogRows } from './log-rows.ts';
import { summaryOf } from './reply-delays.ts';
import { clockTime, createRowLines, secondsOf, type Style } from './row-lines.ts';
import { createScreenRows } from './screen-rows.ts';
import { createTurnsInSpeech } from './turns-in-speech.ts';
import type { Words } from './words.ts';

export type TerminalViewOptions = {
  write: (text: string) => void;
  /** Size of the terminal. Null for outputs that cannot be rewritten, such as files, which have no status line. */
  size: () => { columns: number; rows: number } | null;
  /** Styles the text; returns it unchanged for outputs without colours. */
  style: (style: Style, text: string) => string;
  words: Words;
  /** URL of this call in the console. */
  linkOf: (callId: string) => string;
  /** Whether the gateway and its console end with this program. */
  isPassing: boolean;
  clock: Clock;
};

const tickMs = 1_000;

/** Seconds from the answer to words that arrive before it. */
const firstWordsSec = 0.001;

type ChartStates = Extract<CallNews, { type: 'state' }>['state'];

/** Returns the innermost current states of the charts. */
const placeOf = ({ call, conversation, voicemail }: ChartStates): string =>
  terminalLine([call, conversation, voicemail].filter((place) => place !== null).join('  '));

const usualSize = { columns: 100, rows: 24 };

export const createTerminalView = (options: TerminalViewOptions): CallView => {
  const { write, size, style, words, linkOf, isPassing, clock } = options;
  const { calls } = words;
  const lines = createRowLines({ columns: () => size()?.columns ?? null, style, words });
  const output =
    size() === null
      ? createLogRows({ write, lines, words, clock })
      : createScreenRows({ write, size: () => size() ?? usualSize, style, lines });
  const turns = createTurnsInSpeech(output, clock);
  const delays: number[] = [];
  let since = clock.now();
  let isAnswered = false;
  let place: string = calls.status.ringing;
  let wasAtOnce = false;
  let timer: unknown;

  const elapsedSec = (): number => (clock.now() - since) / 1_000;

  const showPlace = (): void => output.status(`${clockTime(elapsedSec())}  ${place}`);

  const line = (text: string): void => {
    write(`${text}\n`);
  };

  const tick = (): void => {
    showPlace();
    timer = clock.setTimeout(tick, tickMs);
  };

  /** Corrects the time of the answer: an event arrives after it happened, never before. */
  const keepTime = (atSec: number | null, isAnswer: boolean): void => {
    if (atSec === null) return;
    const at = clock.now() - atSec * 1_000;
    since = isAnswer ? at : Math.min(since, at);
    isAnswered ||= isAnswer;
  };

  const tell = ({ event }: Extract<CallNews, { type: 'fact' }>): void => {
    keepTime(event.t_offset_sec, event.type === 'call.answered');
    if (isHangUpAtOnce(event)) wasAtOnce = true;
    const row = rowOf(event, words);
    if (row === undefined) return;
    if (row.delaySec !== null) delays.push(row.delaySec);
    if (row.speaker === 'assistant') turns.stored(row);
    else output.add(row);
  };

  const close = (): void => {
    clock.clearTimeout(timer);
    turns.close();
    output.close();
  };

  return {
    say: (text) => output.note(text, isAnswered ? elapsedSec() : null),
    begins({ callId, to, from }) {
      line(style('bold', words.calling(to, from)));
      if (!isPassing) line(style('dim', words.watch(linkOf(callId))));
      line(`${style('dim', words.howToEnd)}\n`);
      since = clock.now();
      tick();
    },
    news(news) {
      if (news.type === 'state') {
        const { saying = null, hearing = null, ...states } = news.state;
        place = placeOf(states);
        // The answer is reported when it is stored, which may be after the first words: they follow it.
        const atSec = isAnswered ? elapsedSec() : firstWordsSec;
        output.hears(floorOf(states).doing === 'hearing', hearing, atSec);
        turns.saying(saying, atSec);
      } else tell(news);
      showPlace();
    },
    ends({ call_id, status, end_reason, duration_sec }: EndedCall) {
      close();
      const why = whyEnded({ end_reason }, wasAtOnce, calls) ?? calls.status[status];
      const lasted =
        duration_sec === null || duration_sec === 0 ? '' : ` ${words.lasted(secondsOf(duration_sec))}`;
      line(`\n${style('bold', style(status === 'completed' ? 'green' : 'red', why))}${lasted}`);
      const waited = summaryOf(delays);
      if (waited !== null) line(words.replies(secondsOf(waited.median), secondsOf(waited.longest)));
      const link = linkOf(call_id);
      line(style('dim', isPassing ? words.recordingLater(link) : words.recording(link)));
    },
    close,
  };
};
