import { hasInspector } from '../api.ts';
import { texts } from '../language/language.ts';
import { usePolled } from '../polled.ts';
import { linkTo } from '../shown-page.ts';

/**
 * Links to the console's inspector and to Stately's, if the gateway has the inspector. Stately's page is authorized by
 * the console's session.
 */
export const InspectorLink = ({ callId }: { callId: string }) => {
  const t = texts.value.calls.one;
  const isThere = usePolled('inspector', hasInspector).value;
  if (isThere !== true) return null;
  const behind = new URLSearchParams({ call: callId });
  return (
    <>
      <a class="button" href={linkTo('inspect', callId)}>
        {texts.value.inspector.open}
      </a>
      <a class="button" href={`/inspect#${behind}`} target="_blank" rel="noopener noreferrer">
        {t.inspector} <span class="unseen">({t.newTab})</span>
      </a>
    </>
  );
};
