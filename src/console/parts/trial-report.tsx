/** A trial of an agent as a conversation, with what was sent and received for each turn. */
import type { AgentExchange, AgentTrial } from '../api/records.ts';
import { explain } from '../language/explain.ts';
import { texts } from '../language/language.ts';
import { numberWords } from '../language/number-words.ts';
import { hundredths } from './figures.ts';
import { Card } from './page.tsx';
import { Pill } from './pill.tsx';

type Turn = AgentTrial['turns'][number];
type TriedControl = Turn['controls'][number];

const seconds = (ms: number | null): string => (ms === null ? '–' : hundredths(ms));

export const TrialReport = ({ trial }: { trial: AgentTrial }) => {
  const t = texts.value.trial;
  return (
    <Card
      title={numberWords.value.trial.conversation}
      beside={<Pill tone={trial.ok ? 'fine' : 'bad'}>{trial.ok ? t.ok : t.notOk}</Pill>}
    >
      {trial.notes.map((note) => (
        <p key={note} class="notice">
          {explain(note, texts.value.sayings)}
        </p>
      ))}
      <ol class="turns tried">
        {trial.turns.map((turn) => (
          <TriedTurn key={turn.turn} turn={turn} tag={trial.language} />
        ))}
      </ol>
    </Card>
  );
};

/** Describes a control of the agent with all its parameters. */
const controlWords = ({ act, keys, wanted, transfer, language: tag }: TriedControl): string => {
  const t = texts.value.trial;
  return [
    t.control[act](keys ?? transfer?.to ?? tag ?? ''),
    ...(wanted ? t.wanted({ ...wanted, timeout: wanted.timeout_sec }) : []),
    ...(transfer
      ? t.transfer({
          ...transfer,
          key: transfer.accept_key,
          ring: transfer.ring_timeout_sec,
          hangsUp: transfer.on_failure === 'hang_up',
        })
      : []),
  ].join(', ');
};

/** First line of the kickoff of an outbound call, and the line with the task (guides/design/agents.md, "Kickoff"). */
const kickoff = /^\[outbound call connected\][^\n]*(?:\n\[task\] ([^]*))?$/;

/** Message to the agent: the words of the other party, or the kickoff of an outbound call. */
const Told = ({ message, tag }: { message: string; tag: string }) => {
  const t = numberWords.value.trial;
  const found = kickoff.exec(message);
  if (found === null)
    return (
      <li class="user">
        <span class="speaker">{t.otherParty}</span>
        <p lang={tag} class="lines">
          {message}
        </p>
      </li>
    );
  const [, task] = found;
  return (
    <li class="event">
      {t.connected}
      {task !== undefined && ` ${t.task(task)}`}
    </li>
  );
};

const TriedTurn = ({ turn, tag }: { turn: Turn; tag: string }) => {
  const t = texts.value.trial;
  const { agent } = numberWords.value.trial;
  const { advice, failure, spoken, controls } = turn;
  return (
    <>
      <Told message={turn.message} tag={tag} />
      <li class="assistant">
        <span class="speaker">
          {agent}
          {turn.first_sentence_ms !== null && ` · ${seconds(turn.first_sentence_ms)}`}
        </span>
        {spoken.length > 0 && <p lang={tag}>{spoken.map(({ text }) => text).join(' ')}</p>}
        {spoken.length === 0 && <p class="hint">{t.nothing}</p>}
        {controls.map((control, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- only their order distinguishes them
          <span key={index} class="did">
            {controlWords(control)}
          </span>
        ))}
        {turn.remarks.map((remark) => (
          <span key={remark} class="did">
            {explain(remark, texts.value.sayings)}
          </span>
        ))}
        {advice !== null && (
          <span class="notice">
            <b>{t.advice}:</b> {explain(advice, texts.value.sayings)}
          </span>
        )}
        {failure?.server_says != null && (
          <span class="notice">
            <b>{t.serverSays}:</b> {failure.server_says}
          </span>
        )}
        <details>
          <summary>{t.exchange}</summary>
          <span class="hint">{t.times(seconds(turn.first_sentence_ms), seconds(turn.end_ms))}</span>
          {turn.exchanges.map((exchange, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- only their order distinguishes them
            <pre key={index} tabIndex={0}>
              {exchangeText(exchange, t.noAnswer)}
            </pre>
          ))}
        </details>
      </li>
    </>
  );
};

const headerLines = (headers: Record<string, string>): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

const exchangeText = ({ sent, received, error }: AgentExchange, noAnswer: string): string =>
  [
    `${sent.method} ${sent.url}`,
    ...headerLines(sent.headers),
    '',
    sent.body,
    '',
    ...(received === null
      ? [`${noAnswer}${error === null ? '' : `: ${error}`}`]
      : [`HTTP ${received.status}`, ...headerLines(received.headers), '', received.body]),
  ].join('\n');
