/** Rehearsals: starting a suite of simulated callers, and the runs so far. */
import { useState } from 'preact/hooks';
import { listNumbers, listRehearsals } from '../api.ts';
import type { Rehearsal } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { rehearsalWords } from '../language/rehearsal-words.ts';
import { MoreButton } from '../parts/action.tsx';
import { ForAdmins } from '../parts/for-admins.tsx';
import { Empty, Loading, Page } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { usePolled } from '../polled.ts';
import { RunPage } from '../rehearsals/run-page.tsx';
import { countsOf, isUnfinished, RunState } from '../rehearsals/run-words.tsx';
import { StartForm } from '../rehearsals/start-form.tsx';
import { linkTo } from '../shown-page.ts';

const pollMs = 2_000;

const RunRow = ({ run }: { run: Rehearsal }) => (
  <li>
    <a class="row" href={linkTo('rehearsals', run.id)}>
      <span class="row-main">
        <b>{run.suite}</b>
        <small>{[run.number, countsOf(run)].filter((words) => words !== '').join(' · ')}</small>
      </span>
      <span class="row-end">
        <When at={run.created_at} />
        <RunState status={run.status} />
      </span>
    </a>
  </li>
);

const Runs = () => {
  const t = rehearsalWords.value;
  const { value: first } = usePolled(
    'rehearsals',
    () => listRehearsals(null),
    ({ rehearsals }) => (rehearsals.some(isUnfinished) ? pollMs : null),
  );
  const [older, setOlder] = useState<{ rehearsals: Rehearsal[]; cursor: string | null }>();
  if (first === undefined) return <Loading />;
  if (first.rehearsals.length === 0) return <Empty title={t.empty} hint={t.emptyHint} />;
  const cursor = older === undefined ? first.next_cursor : older.cursor;
  return (
    <>
      <h2>{t.runs}</h2>
      <ul class="rows" aria-label={t.runs}>
        {[...first.rehearsals, ...(older?.rehearsals ?? [])].map((run) => (
          <RunRow key={run.id} run={run} />
        ))}
      </ul>
      {cursor !== null && (
        <MoreButton
          load={async () => {
            const next = await listRehearsals(cursor);
            const rehearsals = [...(older?.rehearsals ?? []), ...next.rehearsals];
            setOlder({ rehearsals, cursor: next.next_cursor });
          }}
        />
      )}
    </>
  );
};

const RunsPage = () => {
  const { value: numbers } = usePolled('numbers', listNumbers);
  return (
    <Page title={texts.value.shell.nav.rehearsals} lead={rehearsalWords.value.lead}>
      <ForAdmins>{numbers !== undefined && <StartForm numbers={numbers} />}</ForAdmins>
      <Runs />
    </Page>
  );
};

export const RehearsalsPage = ({ id }: { id: string | undefined }) =>
  id === undefined ? <RunsPage /> : <RunPage key={id} id={id} />;
