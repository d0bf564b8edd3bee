import { useState } from 'preact/hooks';
import { getSipFile, getSipLadder } from '../api.ts';
import { Problem, Unreachable } from '../api/request.ts';
import type { Call, SipLadder, SipMessage } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { isOver } from '../parts/call-words.tsx';
import { Card } from '../parts/page.tsx';
import { saveFile } from '../parts/save-file.ts';
import { usePolled } from '../polled.ts';
import { attemptsOf, kindOf, labelOf, millisecondsIn, type SipAttempt } from './sip-attempts.ts';

const liveMs = 2_000;

/** Messages are stored with a short delay. */
const settlingMs = 5_000;

const pollMsOf = (call: Call, { empty_because: because }: SipLadder): number | null => {
  if (because === 'simulated' || because === 'switched_off') return null;
  const isSettling = call.ended_at !== null && Date.now() - Date.parse(call.ended_at) < settlingMs;
  return !isOver(call) || isSettling ? liveMs : null;
};

/** Ladder of the messages between the gateway and the trunks; each rung opens its message. */
export const SipLadderCard = ({ call }: { call: Call }) => {
  const t = texts.value.sip;
  const { value: ladder } = usePolled(
    `sip/${call.id}/${call.status}`,
    () => getSipLadder(call.id),
    (read) => pollMsOf(call, read),
  );
  // Hides an empty ladder during the call.
  if (ladder === undefined || (ladder.empty_because !== null && !isOver(call))) return null;
  if (ladder.empty_because !== null)
    return (
      <Card title={t.title}>
        <p class="hint">{t.empty[ladder.empty_because]}</p>
      </Card>
    );
  const attempts = attemptsOf(ladder.messages);
  return (
    <Card title={t.title} lead={t.lead} beside={<Downloads callId={call.id} />}>
      {attempts.map((attempt, index) => (
        <Attempt
          key={attempt.sipCallId}
          attempt={attempt}
          title={attempts.length > 1 ? t.attempt(index + 1, attempts.length) : null}
        />
      ))}
    </Card>
  );
};

const Attempt = ({ attempt, title }: { attempt: SipAttempt; title: string | null }) => {
  const t = texts.value.sip;
  return (
    <div class="sip-ladder">
      {title !== null && <h3>{title}</h3>}
      <div class="sip-ladder-ends">
        <span>
          <b>{t.gateway}</b> <small>{attempt.local}</small>
        </span>
        <span>
          <b>{t.trunk}</b> <small>{attempt.remote}</small>
        </span>
      </div>
      <ol aria-label={title ?? t.title}>
        {attempt.messages.map((message) => (
          <Rung key={message.elapsed_ms} message={message} />
        ))}
      </ol>
    </div>
  );
};

const Rung = ({ message }: { message: SipMessage }) => {
  const t = texts.value.sip;
  const { direction, left_out: leftOut } = message;
  return (
    <li>
      {leftOut > 0 && <p class="hint">{t.leftOut(leftOut)}</p>}
      <details>
        <summary title={message.start_line}>
          <time dateTime={message.at}>{millisecondsIn(message.elapsed_ms)}</time>
          <span class={`rung ${direction} ${kindOf(message)}`}>
            <span class="unseen">{t.way[direction]}</span>
            <span class="rung-label">{labelOf(message)}</span>
          </span>
        </summary>
        <pre tabIndex={0}>{message.text.trimEnd()}</pre>
      </details>
    </li>
  );
};

const Downloads = ({ callId }: { callId: string }) => {
  const t = texts.value.sip;
  const [hasFailed, setFailed] = useState(false);
  const download = async (format: 'text' | 'pcap'): Promise<void> => {
    setFailed(false);
    try {
      saveFile(await getSipFile(callId, format), `${callId}.${format === 'text' ? 'txt' : 'pcap'}`);
    } catch (error) {
      if (!(error instanceof Problem || error instanceof Unreachable)) throw error;
      setFailed(true);
    }
  };
  return (
    <div class="buttons">
      <button type="button" onClick={() => void download('text')}>
        {t.asText}
      </button>
      <button type="button" onClick={() => void download('pcap')}>
        {t.asPcap}
      </button>
      <span class="error" role="status">
        {hasFailed ? t.failed : ''}
      </span>
    </div>
  );
};
