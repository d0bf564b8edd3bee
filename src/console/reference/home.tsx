/** The first page of the reference: authentication and all operations. */
import { referenceTexts } from '../language/reference.ts';
import { Card, Page } from '../parts/page.tsx';
import { linkTo } from '../shown-page.ts';
import type { Reference } from './document.ts';
import { Words } from './prose.tsx';

export const Home = ({ reference: { version, tags, operations } }: { reference: Reference }) => {
  const t = referenceTexts.value;
  return (
    <Page title={t.title} lead={`${t.lead} ${t.version(version)}.`}>
      <Card title={t.keys}>
        <ul class="points">
          {t.keysLead.map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
      </Card>
      {tags.map(({ name, description }) => (
        <section key={name} class="operations">
          <h2>
            <Words text={name} />
          </h2>
          <p class="hint">
            <Words text={description} />
          </p>
          <ul class="rows">
            {operations
              .filter(({ tag }) => tag === name)
              .map(({ id, method, path, summary }) => (
                <li key={id}>
                  <a class="row" href={linkTo(id)}>
                    <span class="row-main">
                      <b>
                        <Words text={summary} />
                      </b>
                      <code>
                        <span class={`method ${method}`}>{method}</span> {path}
                      </code>
                    </span>
                  </a>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </Page>
  );
};
