/** Sections of a long form, with a menu that leads to them. */
import type { ComponentChildren } from 'preact';

/** Moves to a section. The address does not change, because its part after the `#` names the page. */
const show = (event: Event, name: string): void => {
  event.preventDefault();
  const heading = document.getElementById(`section-${name}`);
  heading?.scrollIntoView({ block: 'start' });
  heading?.focus({ preventScroll: true });
};

export const SectionMenu = ({
  label,
  sections,
}: {
  label: string;
  sections: readonly (readonly [name: string, title: string])[];
}) => (
  <nav aria-label={label}>
    <ul>
      {sections.map(([name, title]) => (
        <li key={name}>
          <a href={location.hash} onClick={(event) => show(event, name)}>
            {title}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);

export const Section = ({
  name,
  title,
  children,
}: {
  name: string;
  title: string;
  children: ComponentChildren;
}) => (
  <section class="card">
    <h2 id={`section-${name}`} tabIndex={-1}>
      {title}
    </h2>
    {children}
  </section>
);
