import { texts } from '../language/language.ts';
import { Action } from './action.tsx';

/** Reads the next page of a list. */
export const MoreButton = ({ load }: { load: () => Promise<void> }) => (
  <p class="more">
    <Action isForAll label={texts.value.shell.more} act={load} />
  </p>
);
