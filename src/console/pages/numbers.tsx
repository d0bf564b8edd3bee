import { listNumbers } from '../api.ts';
import type { AgentBinding, PhoneNumber } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { numberWords } from '../language/number-words.ts';
import { DirectionMark } from '../parts/call-words.tsx';
import { ForAdmins } from '../parts/for-admins.tsx';
import { Empty, Loading, Page } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { usePolled } from '../polled.ts';
import { linkTo } from '../shown-page.ts';

const agentOf = ({ agent, agent_type: type }: AgentBinding): string => {
  const t = texts.value.numbers.agent;
  if (agent === 'builtin') return t.builtin;
  return type === null ? texts.value.shell.none : t.types[type];
};

const keyOf = (key: PhoneNumber['key']): string => {
  const t = numberWords.value.list;
  if (key === null) return t.noKey;
  return key.tail === null ? t.keyIssued : t.key(key.tail);
};

/** The time of the last call, and its direction. */
const LastCall = ({ call }: { call: PhoneNumber['last_call'] }) => {
  const t = numberWords.value.list;
  if (call === null) return <small class="last-call">{t.noCall}</small>;
  return (
    <small class="last-call">
      {t.lastCall} <DirectionMark direction={call.direction} /> <When at={call.started_at} />
    </small>
  );
};

export const NumbersPage = () => {
  const t = texts.value.numbers;
  const numbers = usePolled('numbers', listNumbers).value;
  const add = (
    <ForAdmins>
      <a class="button primary" href={linkTo('numbers', 'new')}>
        {t.add}
      </a>
    </ForAdmins>
  );
  if (numbers === undefined) return <Loading />;
  return (
    <Page title={texts.value.shell.nav.numbers} lead={t.lead} beside={numbers.length > 0 && add}>
      {numbers.length === 0 && (
        <Empty title={t.empty} hint={t.emptyHint}>
          {add}
        </Empty>
      )}
      <ul class="rows" aria-label={texts.value.shell.nav.numbers}>
        {numbers.map(({ id, number, language, agents, key, last_call: lastCall }) => (
          <li key={id}>
            <a class="row" href={linkTo('numbers', id)}>
              <span class="row-main">
                <b class="digits">{number}</b>
                <small>
                  {t.languages[language]} · <span class="digits">{keyOf(key)}</span>
                </small>
              </span>
              <span class="agents">
                <span>
                  <DirectionMark direction="inbound" /> {agentOf(agents.inbound)}
                </span>
                <span>
                  <DirectionMark direction="outbound" /> {agentOf(agents.outbound)}
                </span>
              </span>
              <LastCall call={lastCall} />
            </a>
          </li>
        ))}
      </ul>
    </Page>
  );
};
