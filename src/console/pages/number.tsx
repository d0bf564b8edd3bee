import { getNumber } from '../api.ts';
import { texts } from '../language/language.ts';
import { AgentForm } from '../number/agent-form.tsx';
import { DeleteNumber } from '../number/delete-number.tsx';
import { HandshakeForm } from '../number/handshake-form.tsx';
import { KeyPanel } from '../number/key-panel.tsx';
import { PolicyForm } from '../number/policy-form.tsx';
import { LatencyPanel } from '../parts/latency-panel.tsx';
import { Loading, Missing, Page } from '../parts/page.tsx';
import { usePolled } from '../polled.ts';
import { linkTo } from '../shown-page.ts';

const tabs = ['inbound', 'outbound', 'settings', 'latency'] as const;

/** Page of a number. Its tabs are links, so that each tab can be bookmarked and shared. */
export const NumberPage = ({ id, tab }: { id: string; tab: string | undefined }) => {
  const t = texts.value.numbers;
  const back = { to: linkTo('numbers'), label: texts.value.shell.nav.numbers };
  const { value: number, problem, reload } = usePolled(id, () => getNumber(id));
  if (problem !== undefined) return <Missing back={back} />;
  if (number === undefined) return <Loading />;
  const current = tabs.find((one) => one === tab) ?? 'inbound';
  return (
    <Page title={<span class="digits">{number.number}</span>} back={back}>
      <nav class="tabs" aria-label={t.tabs}>
        {tabs.map((one) => (
          <a
            key={one}
            href={linkTo('numbers', id, one)}
            {...(one === current ? { 'aria-current': 'page' } : {})}
          >
            {t.tab[one]}
          </a>
        ))}
      </nav>
      {(current === 'inbound' || current === 'outbound') && (
        <AgentForm key={current} numberId={id} direction={current} stored={number.agents[current]} />
      )}
      {current === 'inbound' && <HandshakeForm numberId={id} stored={number.inbound_auth} />}
      {current === 'outbound' && <KeyPanel number={number} onIssued={reload} />}
      {current === 'settings' && <PolicyForm number={number} onSaved={reload} />}
      {current === 'settings' && <DeleteNumber number={number} />}
      {current === 'latency' && <LatencyPanel numberId={id} />}
    </Page>
  );
};
