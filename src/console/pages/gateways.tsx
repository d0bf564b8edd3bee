/**
 * Page with the gateways on this database: the calls of each gateway, and how many of them it took over from another
 * gateway.
 */
import { listGateways } from '../api.ts';
import type { Gateway } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { Loading, Page } from '../parts/page.tsx';
import { gatewayTones, Pill } from '../parts/pill.tsx';
import { milliseconds, percent } from '../parts/figures.ts';
import { timeOfDay } from '../parts/when.tsx';
import { usePolled } from '../polled.ts';

const pollMs = 1_000;

export const GatewaysPage = () => {
  const t = texts.value.gateways;
  const { value: gateways } = usePolled('gateways', listGateways, () => pollMs);
  if (gateways === undefined) return <Loading />;
  return (
    <Page title={texts.value.shell.nav.gateways} lead={t.lead}>
      <ul class="rows" aria-label={texts.value.shell.nav.gateways}>
        {gateways.map((gateway) => (
          <GatewayRow key={gateway.name} gateway={gateway} />
        ))}
      </ul>
    </Page>
  );
};

const GatewayRow = ({ gateway }: { gateway: Gateway }) => {
  const t = texts.value.gateways;
  const { name, state, is_current: isCurrent, calls, takes_calls: takesCalls, seen_at: seenAt } = gateway;
  const { load, version } = gateway;
  const about = [
    t.inProgress(calls.active),
    ...(calls.taken_over === 0 ? [] : [t.takenOver(calls.taken_over)]),
    ...(calls.ringing === 0 ? [] : [t.ringing(calls.ringing)]),
    ...(state === 'running' ? [] : [t.stateHints[state], t.seen(timeOfDay(seenAt))]),
    ...(load === null
      ? []
      : [
          t.load(percent(load.utilization)),
          t.memory(percent(load.memory)),
          t.delay(milliseconds(load.delay_ms)),
        ]),
    ...(version === null ? [] : [t.version(version)]),
    ...(state === 'running' && !takesCalls ? [t.takesNone] : []),
  ];
  return (
    <li class="row">
      <span class="row-main">
        <b>
          {name}
          {isCurrent && <small> {t.current}</small>}
        </b>
        <small class="whole">{about.join(' · ')}</small>
      </span>
      <span class="row-end">
        <Pill tone={gatewayTones[state]}>{t.states[state]}</Pill>
      </span>
    </li>
  );
};
