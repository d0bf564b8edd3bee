import { texts } from '../language/language.ts';
import { Card } from '../parts/page.tsx';
import type { Actor } from './inspection.ts';

const mostShown = 200;

/** The actors. Each is a button that filters the messages by this actor. Running actors come first. */
export const ActorList = ({
  actors,
  chosen,
  nameOf,
  choose,
}: {
  actors: readonly Actor[];
  chosen: string;
  nameOf: (actor: Actor) => string;
  choose: (id: string) => void;
}) => {
  const t = texts.value.inspector;
  const inOrder = [...actors.filter(({ isOver }) => !isOver), ...actors.filter(({ isOver }) => isOver)];
  return (
    <Card title={t.actors}>
      <ul class="inspector-actors">
        {inOrder.slice(0, mostShown).map((actor) => (
          <li key={actor.id}>
            <button
              type="button"
              aria-pressed={actor.id === chosen}
              onClick={() => choose(actor.id === chosen ? '' : actor.id)}
            >
              <b>{nameOf(actor)}</b>
              <small>{actor.isOver ? t.over : (actor.state ?? t.noChart)}</small>
            </button>
          </li>
        ))}
      </ul>
      {inOrder.length > mostShown && <p class="hint">{t.moreActors(inOrder.length - mostShown)}</p>}
    </Card>
  );
};
