import type { AgentExchange, AgentTrial } from '../api/records.ts';
import { explain } from '../language/explain.ts';
import { language, texts } from '../language/language.ts';
import { Card } from './page.tsx';
import { Pill } from './pill.tsx';

type TriedControl = AgentTrial['turns'][number]['controls'][number];

const seconds = (ms: number | null): string => (ms === null ? '–' : `${(ms / 1000).toFixed(2)} s`);

/** The report of a trial conversation with an agent endpoint, turn by turn. */
export const TrialReport = ({ trial }: { trial: AgentTrial }) => {
  const t = texts.value.trial;
  return (
    <>
      <p class="verdict">
        <Pill tone={trial.ok ? 'fine' : 'bad'}>{trial.ok ? t.ok : t.notOk}</Pill>
      </p>
      {trial.notes.map((note) => (
        <p key={note} class="notice">
          {note}
        </p>
      ))}
      {trial.turns.map((turn) => (
        <TriedTurn key={turn.turn} turn={turn} />
      ))}
    </>
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

const TriedTurn = ({ turn }: { turn: AgentTrial['turns'][number] }) => {
  const t = texts.value.trial;
  return (
    <Card title={t.turn(turn.turn)}>
      <dl class="facts">
        <div>
          <dt>{t.heard}</dt>
          <dd class="lines">{turn.message}</dd>
        </div>
        <div>
          <dt>{t.spoken}</dt>
          <dd>
            {turn.spoken.length === 0
              ? t.nothing
              : turn.spoken.map(({ text, at_ms: at }) => (
                  <p key={at + text}>
                    {text} <small class="digits">{seconds(at)}</small>
                  </p>
                ))}
          </dd>
        </div>
        {turn.controls.length > 0 && (
          <div>
            <dt>{t.controls}</dt>
            <dd>
              {turn.controls.map((control, index) => (
                // oxlint-disable-next-line react/no-array-index-key -- only their order distinguishes them
                <p key={index}>
                  {controlWords(control)} <small class="digits">{seconds(control.at_ms)}</small>
                </p>
              ))}
            </dd>
          </div>
        )}
        {turn.advice !== null && (
          <div>
            <dt>{t.advice}</dt>
            <dd>{explain(turn.advice, language.value)}</dd>
          </div>
        )}
        {turn.failure?.server_says != null && (
          <div>
            <dt>{t.serverSays}</dt>
            <dd>{turn.failure.server_says}</dd>
          </div>
        )}
      </dl>
      <p class="hint">{t.times(seconds(turn.first_sentence_ms), seconds(turn.end_ms))}</p>
      {turn.remarks.map((remark) => (
        <p key={remark} class="hint">
          {explain(remark, language.value)}
        </p>
      ))}
      <details>
        <summary>{t.exchange}</summary>
        {turn.exchanges.map((exchange, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- only their order distinguishes them
          <pre key={index} tabIndex={0}>
            {exchangeText(exchange, t.noAnswer)}
          </pre>
        ))}
      </details>
    </Card>
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
