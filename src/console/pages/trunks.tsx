import { getCurrentGateway, listTrunkFigures, listTrunks } from '../api.ts';
import { explain } from '../language/explain.ts';
import { texts } from '../language/language.ts';
import { ForAdmins } from '../parts/for-admins.tsx';
import { Empty, Loading, Page } from '../parts/page.tsx';
import { Pill, trunkTones } from '../parts/pill.tsx';
import { usePolled } from '../polled.ts';
import { linkTo } from '../shown-page.ts';
import type { TrunkStatistics } from '../api/records.ts';
import { count, percent, score, seconds } from '../parts/figures.ts';
import { clockTime } from '../parts/when.tsx';

/** Formats the statistics of a trunk's calls in the last 24 hours as a line. */
const figuresLine = (figures: TrunkStatistics): string => {
  const t = texts.value.trunks.figures;
  const {
    outbound_calls: outbound,
    inbound_calls: inbound,
    outbound_failed_over: failedOver,
    one_way_calls: oneWay,
    answer_seizure_ratio: ratio,
    average_call_duration_sec: duration,
    post_dial_delay_ms: delay,
    mos,
  } = figures;
  if (outbound + inbound + failedOver === 0) return t.none;
  return [
    t.calls(count(outbound), count(inbound)),
    ratio === null ? undefined : t.answered(percent(ratio)),
    duration === null ? undefined : t.duration(clockTime(duration)),
    delay === null ? undefined : t.delay(seconds(delay / 1_000)),
    mos === null ? undefined : t.mos(score(mos)),
    failedOver === 0 ? undefined : t.failedOver(count(failedOver)),
    oneWay === 0 ? undefined : t.oneWay(count(oneWay)),
  ]
    .filter((part) => part !== undefined)
    .join(' · ');
};

const pollMs = 5_000;
/** Polling interval of the statistics, which cover a day and change slowly. */
const figuresMs = 60_000;

export const TrunksPage = () => {
  const t = texts.value.trunks;
  const trunks = usePolled('trunks', listTrunks, () => pollMs).value;
  const figures = usePolled('trunk-figures', listTrunkFigures, () => figuresMs).value ?? [];
  const isSimulated = usePolled('gateway', getCurrentGateway).value?.is_simulated === true;
  const figuresOf = (id: string): string | undefined => {
    const found = figures.find((one) => one.trunk_id === id);
    return found && figuresLine(found);
  };
  const add = (
    <ForAdmins>
      <a class="button primary" href={linkTo('trunks', 'new')}>
        {t.add}
      </a>
    </ForAdmins>
  );
  if (trunks === undefined) return <Loading />;
  return (
    <Page title={texts.value.shell.nav.trunks} lead={t.lead} beside={trunks.length > 0 && add}>
      {trunks.length === 0 && (
        <Empty title={t.empty} hint={isSimulated ? `${t.whatFor} ${t.simulated}` : t.emptyHint}>
          {add}
        </Empty>
      )}
      {trunks.length > 0 && isSimulated && <p class="note">{t.simulated}</p>}
      <ul class="rows" aria-label={texts.value.shell.nav.trunks}>
        {trunks.map((trunk) => (
          <li key={trunk.id}>
            <a class="row" href={linkTo('trunks', trunk.id)}>
              <span class="row-main">
                <b>{trunk.name}</b>
                <small>
                  {trunk.detail === null ? trunk.host : explain(trunk.detail, texts.value.sayings)}
                </small>
                <small>{figuresOf(trunk.id)}</small>
              </span>
              <Pill tone={trunkTones[trunk.state]}>{t.state[trunk.state]}</Pill>
            </a>
          </li>
        ))}
      </ul>
    </Page>
  );
};
