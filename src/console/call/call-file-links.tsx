import { exportCall } from '../api.ts';
import type { Call } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { Action } from '../parts/action.tsx';
import { saveFile } from '../parts/save-file.ts';
import { linkTo } from '../shown-page.ts';

/** Saves a finished call as a file, whole or masked, for admins; and leads to its comparison with another call. */
export const CallFileLinks = ({ call: { id } }: { call: Pick<Call, 'id'> }) => {
  const t = texts.value.compare;
  const save = (isMasked: boolean) => async (): Promise<void> =>
    saveFile(await exportCall(id, isMasked), `${id}${isMasked ? '.masked' : ''}.call.json`);
  return (
    <>
      <Action label={t.save} act={save(false)} />
      <Action label={t.saveMasked} act={save(true)} />
      <a class="button" href={`${linkTo('compare')}?one=${id}`}>
        {t.compare}
      </a>
    </>
  );
};
