/** The states of a chart as nested boxes, which are legible at every width, unlike the whole picture of a large chart. */
import type { ComponentChildren } from 'preact';
import { lastName, type StateBox } from './state-boxes.ts';

/** `busy`, `failing` and `unvisited` are looks of innermost states. */
export type BoxLook = 'busy' | 'failing' | 'unvisited';

export type BoxContent = {
  looks?: readonly BoxLook[];
  /** Link target of the name. */
  href?: string | undefined;
  /** Beside the name. */
  beside?: ComponentChildren;
  /** Below the name; innermost states only. */
  below?: ComponentChildren;
};

/** Returns what is in the box of a state. */
export type ContentOf = (state: string, isInnermost: boolean) => BoxContent;

const Box = ({ box: { state, inner }, contentOf }: { box: StateBox; contentOf: ContentOf }) => {
  const isInnermost = inner.length === 0;
  const { looks = [], href, beside, below } = contentOf(state, isInnermost);
  const name = <code>{lastName(state)}</code>;
  const head = (
    <p class="map-name">
      {href === undefined ? name : <a href={href}>{name}</a>}
      {beside}
    </p>
  );
  return isInnermost ? (
    <li class={looks.join(' ')}>
      {head}
      {below}
    </li>
  ) : (
    <li class="map-group">
      {head}
      <ul>
        {inner.map((one) => (
          <Box key={one.state} box={one} contentOf={contentOf} />
        ))}
      </ul>
    </li>
  );
};

export const NestedStates = ({ boxes, contentOf }: { boxes: readonly StateBox[]; contentOf: ContentOf }) => (
  <ul class="state-map">
    {boxes.map((box) => (
      <Box key={box.state} box={box} contentOf={contentOf} />
    ))}
  </ul>
);
