/** A run: its progress, the result of each case, the comparison with the last run, and what was visited. */
import { cancelRehearsal, getRehearsal, startRehearsal } from '../api.ts';
import type { RehearsalResults } from '../api/records.ts';
import { rehearsalWords } from '../language/rehearsal-words.ts';
import { Action } from '../parts/action.tsx';
import { Card, Loading, Missing, Page } from '../parts/page.tsx';
import { Pill, type Tone } from '../parts/pill.tsx';
import { dayAndTime } from '../parts/when.tsx';
import { usePolled } from '../polled.ts';
import { go, linkTo } from '../shown-page.ts';
import { CaseRow } from './case-row.tsx';
import { CoverageCard } from './coverage-card.tsx';
import { countsOf, isUnfinished, RunState } from './run-words.tsx';

const pollMs = 1_000;

const verdictTones: Readonly<Record<NonNullable<RehearsalResults['changes']>[number]['verdict'], Tone>> = {
  better: 'fine',
  worse: 'bad',
  new: 'calm',
  gone: 'calm',
};

const Changes = ({ changes }: { changes: NonNullable<RehearsalResults['changes']> }) => {
  const t = rehearsalWords.value;
  return (
    <Card title={t.changes}>
      {changes.length === 0 && <p class="hint">{t.unchanged}</p>}
      <ul class="changes">
        {changes.map(({ verdict, what }) => (
          <li key={what}>
            <Pill tone={verdictTones[verdict]}>{t.verdict[verdict]}</Pill> {t.changed(what)}
          </li>
        ))}
      </ul>
    </Card>
  );
};

const RunActions = ({ run, reload }: { run: RehearsalResults; reload: () => void }) => {
  const t = rehearsalWords.value;
  if (isUnfinished(run))
    return (
      <Action
        look="danger"
        label={t.cancel}
        asked={{ title: t.cancelTitle, text: t.cancelText }}
        act={async () => {
          await cancelRehearsal(run.id);
          reload();
        }}
      />
    );
  return (
    <Action
      label={t.again}
      act={async () => {
        const { source: suite, suite: name, number, repeat, parallel } = run;
        go(linkTo('rehearsals', (await startRehearsal({ suite, name, number, repeat, parallel })).id));
      }}
    />
  );
};

export const RunPage = ({ id }: { id: string }) => {
  const t = rehearsalWords.value;
  const back = { to: linkTo('rehearsals'), label: t.back };
  const polled = usePolled(
    `rehearsal ${id}`,
    () => getRehearsal(id),
    (run) => (isUnfinished(run) ? pollMs : null),
  );
  const { value: run, problem, reload } = polled;
  if (problem !== undefined) return <Missing back={back} />;
  if (run === undefined) return <Loading />;
  const { suite, status, number, results, changes, coverage } = run;
  const hint = status === 'queued' || status === 'interrupted' ? t.statusHint[status] : run.problem;
  return (
    <Page
      title={suite}
      back={back}
      lead={
        <>
          <RunState status={status} /> {[number, dayAndTime(run.created_at), countsOf(run)].join(' · ')}
        </>
      }
      beside={<RunActions run={run} reload={reload} />}
    >
      {hint !== null && <p class="hint">{hint}</p>}
      <section class="card">
        <div class="card-head">
          <h2>{t.cases}</h2>
        </div>
        {results.length === 0 ? (
          <p class="hint" role="status">
            {t.noCases}
          </p>
        ) : (
          <ul class="rows" aria-label={t.cases}>
            {results.map((one) => (
              <CaseRow key={one.name} of={one} />
            ))}
          </ul>
        )}
      </section>
      {changes !== null && <Changes changes={changes} />}
      {coverage.length > 0 && <CoverageCard coverage={coverage} />}
      <details class="card">
        <summary>{t.source}</summary>
        <pre class="suite-source" tabIndex={0}>
          {run.source}
        </pre>
      </details>
    </Page>
  );
};
