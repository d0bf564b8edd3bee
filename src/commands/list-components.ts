/**
 * `npm run --silent list-components`: lists the gateway's installed packages as CycloneDX. npm's own `--omit dev` is
 * not used, because it also omits packages that both the gateway and developer tools need.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';

const property = z.looseObject({ name: z.string(), value: z.string() });

const listed = z.looseObject({
  components: z.array(z.looseObject({ 'bom-ref': z.string(), properties: z.array(property).default([]) })),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()).default([]) })),
});

const forDevelopment = 'cdx:npm:package:development';
const outputLimit = 64 * 1024 * 1024;

const { stdout } = await promisify(execFile)(
  'npm',
  ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'],
  { maxBuffer: outputLimit },
);
const list = listed.parse(JSON.parse(stdout));
const left = new Set(
  list.components
    .filter(({ properties }) =>
      properties.some(({ name, value }) => name === forDevelopment && value === 'true'),
    )
    .map((component) => component['bom-ref']),
);
const shown = {
  ...list,
  components: list.components.filter((component) => !left.has(component['bom-ref'])),
  dependencies: list.dependencies
    .filter(({ ref }) => !left.has(ref))
    .map((dependency) => ({
      ...dependency,
      dependsOn: dependency.dependsOn.filter((ref) => !left.has(ref)),
    })),
};
process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
