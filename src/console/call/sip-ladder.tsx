import { useState } from 'preact/hooks';
import { getSipFile, getSipLadder } from '../api.ts';
import { Problem, Unreachable } from '../api/request.ts';
import type { Call, SipLadder, SipMessage } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { GatewayButton } from '../parts/action.tsx';
import { isOver } from '../parts/call-words.tsx';
import { Card } from '../parts/page.tsx';
import { saveFile } from '../parts/save-file.ts';
import { usePolled } from '../polled.ts';

/** The messages of one INVITE attempt, drawn as one ladder. */
type SipAttempt = { sipCallId: string; local: string; remote: string; messages: SipMessage[] };

/**
 * Groups messages by attempt, in order of their beginning. The two endpoints are those of the attempt's last message,
 * in which both are known.
 */
const attemptsOf = (messages: readonly SipMessage[]): SipAttempt[] => {
  const attempts = new Map<string, SipAttempt>();
  for (const message of messages) {
    const { sip_call_id: sipCallId, local, remote } = message;
    const before = attempts.get(sipCallId)?.messages ?? [];
    attempts.set(sipCallId, { sipCallId, local, remote, messages: [...before, message] });
  }
  return [...attempts.values()];
};

const statusOf = ({ start_line: line }: SipMessage): number | null => {
  const [, status] = /^SIP\/2\.0 (\d{3})/.exec(line) ?? [];
  return status === undefined ? null : Number(status);
};

/** Kind of message, which determines its colour. */
const kindOf = (message: SipMessage): 'request' | 'progress' | 'success' | 'challenge' | 'failure' => {
  const status = statusOf(message);
  if (status === null) return 'request';
  if (status < 200) return 'progress';
  if (status < 300) return 'success';
  return status < 400 || status === 401 || status === 407 ? 'challenge' : 'failure';
};

/** Returns the label of a message: `INVITE`, or `200 OK` with the method that the response answers. */
const labelOf = (message: SipMessage): string => {
  const { start_line: line, text } = message;
  const sdp = /^(?:content-type|c)[ \t]*:[ \t]*application\/sdp/im.test(text) ? ' · SDP' : '';
  if (statusOf(message) === null) return `${line.split(' ')[0] ?? ''}${sdp}`;
  const [, method = ''] = /^cseq[ \t]*:[ \t]*\d+[ \t]+(\w+)/im.exec(text) ?? [];
  return `${line.replace('SIP/2.0 ', '')} (${method})${sdp}`;
};

/** Formats elapsed time: `+12 ms`, `+3.4 s`, `+2:05`. */
const millisecondsIn = (elapsedMs: number): string => {
  if (elapsedMs < 1_000) return `+${Math.round(elapsedMs)} ms`;
  if (elapsedMs < 60_000) return `+${(elapsedMs / 1_000).toFixed(1)} s`;
  const seconds = Math.floor(elapsedMs / 1_000);
  return `+${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};

const liveMs = 2_000;

/** Time after the end of a call in which its last messages are stored, in milliseconds. */
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
  // An empty ladder is hidden during the call.
  if (ladder === undefined || (ladder.empty_because !== null && !isOver(call))) return null;
  if (ladder.empty_because !== null)
    return (
      <Card title={t.title}>
        <p class="hint">{t.empty[ladder.empty_because]}</p>
      </Card>
    );
  return (
    <Card title={t.title} lead={t.lead} beside={<Downloads callId={call.id} />}>
      <SipAttempts messages={ladder.messages} />
    </Card>
  );
};

/** A ladder for each attempt. */
export const SipAttempts = ({ messages }: { messages: readonly SipMessage[] }) => {
  const t = texts.value.sip;
  const attempts = attemptsOf(messages);
  return (
    <>
      {attempts.map((attempt, index) => (
        <Attempt
          key={attempt.sipCallId}
          attempt={attempt}
          title={attempts.length > 1 ? t.attempt(index + 1, attempts.length) : null}
        />
      ))}
    </>
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
      <GatewayButton onClick={() => void download('text')}>{t.asText}</GatewayButton>
      <GatewayButton onClick={() => void download('pcap')}>{t.asPcap}</GatewayButton>
      <span class="error" role="status">
        {hasFailed ? t.failed : ''}
      </span>
    </div>
  );
};
