import { useEffect, useRef, useState } from 'preact/hooks';
import { notAllExported } from '#src/domain/call-export.ts';
import { exportCalls } from '../api.ts';
import type { Problem } from '../api/request.ts';
import { CallFilters } from '../call-list/call-filters.tsx';
import { CallTable } from '../call-list/call-table.tsx';
import { KeyHelp, returnTo, useKeys } from '../call-list/keys.tsx';
import { filtersNow, isNarrowed, placeNow } from '../call-list/place.ts';
import { useCallList } from '../call-list/use-call-list.ts';
import { explain } from '../language/explain.ts';
import { texts } from '../language/language.ts';
import { Action, MoreButton } from '../parts/action.tsx';
import { ForAdmins } from '../parts/for-admins.tsx';
import { Empty, Loading, Page } from '../parts/page.tsx';
import { saveFile } from '../parts/save-file.ts';
import { linkTo } from '../shown-page.ts';

/** Maximum number of bytes in the last line of the file. */
const lastLineBytes = 300;

const PlaceCallLink = () => (
  <ForAdmins>
    <a class="button primary" href={linkTo('place-call')}>
      {texts.value.shell.nav.place}
    </a>
  </ForAdmins>
);

/** Button that exports the listed calls as a file. The last line of the file says whether it is truncated. */
const ExportButton = () => {
  const t = texts.value.callList;
  const [isWhole, setWhole] = useState(true);
  const save = async (): Promise<void> => {
    const file = await exportCalls(filtersNow());
    setWhole(!(await file.slice(-lastLineBytes).text()).includes(notAllExported));
    saveFile(file, 'calls.csv');
  };
  return <Action isForAll label={t.export} done={isWhole ? t.exported : t.exportedInPart} act={save} />;
};

export const CallsPage = () => {
  const t = texts.value.callList;
  const search = useRef<HTMLInputElement>(null);
  const [isHelping, setHelping] = useState(false);
  useKeys(search, () => setHelping(true));
  const filters = filtersNow();
  return (
    <Page
      title={texts.value.shell.nav.calls}
      lead={texts.value.calls.lead}
      beside={
        <>
          <button type="button" class="keys-button" onClick={() => setHelping(true)}>
            {t.keys.title} <kbd>?</kbd>
          </button>
          <ExportButton />
          <PlaceCallLink />
        </>
      }
    >
      <CallFilters box={search} />
      <CallList key={JSON.stringify(filters)} />
      {isHelping && <KeyHelp onClose={() => setHelping(false)} />}
    </Page>
  );
};

/** Whether inserting rows at the top disturbs nobody: the page is scrolled near the top and no row has the focus. */
const nobodyReads = (): boolean => scrollY < 80 && document.activeElement?.closest('.call-table') == null;

const CallList = () => {
  const t = texts.value.callList;
  const [filters] = useState(filtersNow);
  const { shown, problem, more, showWaiting } = useCallList(filters, nobodyReads);
  const hasRows = shown !== undefined && shown.calls.length > 0;
  useEffect(() => {
    const { at } = placeNow();
    if (hasRows && at !== null) returnTo(at);
  }, [hasRows]);

  if (problem !== undefined) return <Refused problem={problem} />;
  if (shown === undefined) return <Loading />;
  const { calls, cursor, waiting, hasGap } = shown;
  return (
    <>
      <div class="waiting-calls" role="status">
        {waiting.length > 0 && (
          <button
            type="button"
            class="primary"
            onClick={() => {
              showWaiting();
              scrollTo(0, 0);
            }}
          >
            {t.waiting(waiting.length, hasGap)}
          </button>
        )}
      </div>
      {calls.length === 0 ? <NoCalls isNarrowed={isNarrowed(filters)} /> : <CallTable calls={calls} />}
      {cursor !== null && <More key={cursor} load={more} />}
    </>
  );
};

/** Distance below the window at which the next page is loaded. */
const ahead = '600px';

/** Loads the next page when the end of the list is nearly visible. The button is the fallback after a failure. */
const More = ({ load }: { load: () => Promise<void> }) => {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const watched = place.current;
    if (watched === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        watched.querySelector('button')?.click();
      },
      { rootMargin: ahead },
    );
    observer.observe(watched);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={place}>
      <MoreButton load={load} />
    </div>
  );
};

const Refused = ({ problem }: { problem: Problem }) => (
  <Empty
    title={texts.value.callList.refused}
    hint={explain(problem.errors[0]?.message ?? problem.message, texts.value.sayings)}
  />
);

const NoCalls = ({ isNarrowed: isSome }: { isNarrowed: boolean }) => {
  const t = texts.value.calls;
  return isSome ? (
    <Empty title={t.emptyFiltered} hint={texts.value.callList.emptyHint} />
  ) : (
    <Empty title={t.empty} hint={t.emptyHint}>
      <PlaceCallLink />
    </Empty>
  );
};
