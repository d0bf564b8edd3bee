import { listTrunkFigures, listTrunks } from '../api.ts';
import { explain } from '../language/explain.ts';
import { language, texts } from '../language/language.ts';
import { ForAdmins } from '../parts/for-admins.tsx';
import { Empty, Loading, Page } from '../parts/page.tsx';
import { Pill, trunkTones } from '../parts/pill.tsx';
import { usePolled } from '../polled.ts';
import { linkTo } from '../shown-page.ts';
import { figuresLine } from '../trunk/trunk-figures.tsx';

const pollMs = 5_000;
/** The statistics cover a day, so they need no shorter interval. */
const figuresMs = 60_000;

export const TrunksPage = () => {
  const t = texts.value.trunks;
  const trunks = usePolled('trunks', listTrunks, () => pollMs).value;
  const figures = usePolled('trunk-figures', listTrunkFigures, () => figuresMs).value ?? [];
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
        <Empty title={t.empty} hint={t.emptyHint}>
          {add}
        </Empty>
      )}
      <ul class="rows" aria-label={texts.value.shell.nav.trunks}>
        {trunks.map((trunk) => (
          <li key={trunk.id}>
            <a class="row" href={linkTo('trunks', trunk.id)}>
              <span class="row-main">
                <b>{trunk.name}</b>
                <small>{trunk.detail === null ? trunk.host : explain(trunk.detail, language.value)}</small>
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
