/** Inspector of the actors of one call, or of all calls of this gateway. Works without internet access. */
import { useMemo, useState } from 'preact/hooks';
import { hasInspector } from '../api.ts';
import { ActorList } from '../inspector/actor-list.tsx';
import { EntryList } from '../inspector/entry-list.tsx';
import { entriesWanted, type Actor, type Wanted, mostEntries } from '../inspector/inspection.ts';
import { InspectorFilters } from '../inspector/inspector-filters.tsx';
import { useInspection } from '../inspector/use-inspection.ts';
import { texts } from '../language/language.ts';
import { Card, Empty, Loading, Page } from '../parts/page.tsx';
import { Pill } from '../parts/pill.tsx';
import { usePolled } from '../polled.ts';
import { linkTo, linkToCalls } from '../shown-page.ts';

const everything: Wanted = { actor: '', kind: '', type: '', search: '' };

const tones = { joining: 'calm', open: 'live', lost: 'warn', over: 'calm', refused: 'warn' } as const;

const backFrom = (callId: string | null) => ({
  to: callId === null ? linkToCalls() : linkTo('calls', callId),
  label: callId === null ? texts.value.shell.nav.calls : texts.value.inspector.call,
});

export const InspectPage = ({ id }: { id: string | null }) => {
  const t = texts.value.inspector;
  const isThere = usePolled('inspector', hasInspector).value;
  if (isThere === undefined) return <Loading />;
  if (isThere) return <Inspector id={id} />;
  return (
    <Page title={t.title} back={backFrom(id)}>
      <Empty title={t.off} hint={t.offHint} />
    </Page>
  );
};

/** If all calls are shown, each actor's name includes its call. */
const namesOf = (id: string | null, actors: ReadonlyMap<string, Actor>) => (actor: Actor) => {
  const name = actor.id === actor.root ? 'call' : actor.name;
  const root = actors.get(actor.root)?.name ?? actor.root;
  return id === null ? `${root.slice(0, 8)} ${name}` : name;
};

const Inspector = ({ id }: { id: string | null }) => {
  const t = texts.value.inspector;
  const { shown, link, isPaused, waiting, pause, clear } = useInspection(id);
  const [wanted, setWanted] = useState(everything);
  const entries = useMemo(() => entriesWanted(shown, wanted), [shown, wanted]);
  const nameOf = namesOf(id, shown.actors);
  const nameById = (actorId: string): string => {
    const actor = shown.actors.get(actorId);
    return actor === undefined ? actorId : nameOf(actor);
  };
  const want = (change: Partial<Wanted>): void => setWanted((before) => ({ ...before, ...change }));
  return (
    <Page
      title={t.title}
      back={backFrom(id)}
      lead={
        <>
          <span role="status">
            <Pill tone={tones[link]}>{t.link[link]}</Pill>
          </span>{' '}
          {id === null ? t.leadAll : t.lead}
        </>
      }
      beside={
        <>
          <button type="button" aria-pressed={isPaused} onClick={() => pause(!isPaused)}>
            {isPaused ? t.goOn(waiting) : t.pause}
          </button>
          <button type="button" onClick={clear}>
            {t.clear}
          </button>
        </>
      }
    >
      <div class="inspector">
        <ActorList
          actors={[...shown.actors.values()]}
          chosen={wanted.actor}
          nameOf={nameOf}
          choose={(actor) => want({ actor })}
        />
        <Card title={t.messages} lead={t.shown(entries.length, shown.entries.length, mostEntries)}>
          <InspectorFilters shown={shown} wanted={wanted} nameOf={nameOf} want={want} />
          <EntryList entries={entries} nameOf={nameById} />
        </Card>
      </div>
    </Page>
  );
};
