import * as z from 'zod';
import { chartNames } from '#src/domain/chart-name.ts';
import { defineRoute } from '../http/route.ts';

export const getChart = defineRoute({
  method: 'get',
  path: '/api/v1/admin/charts/{name}',
  operationId: 'getChart',
  tag: 'Workspace',
  summary: 'Read the picture of a chart',
  description:
    'As SVG without colours. Each state has `data-state`: its dotted path, as in the `state` events of a call.',
  auth: 'viewer',
  params: z.object({ name: z.enum(chartNames) }),
  responses: {
    200: {
      description: 'The picture.',
      media: ['image/svg+xml'],
      examples: { 'image/svg+xml': '<svg xmlns="http://www.w3.org/2000/svg">…</svg>' },
    },
  },
  refusals: [],
}).handledBy(async ({ params }, { operation: { charts } }) => ({
  status: 200,
  media: 'image/svg+xml',
  headers: { 'Cache-Control': 'private, max-age=3600' },
  body: await charts(params.name),
}));

export const getChartDefinition = defineRoute({
  method: 'get',
  path: '/api/v1/admin/charts/{name}.json',
  operationId: 'getChartDefinition',
  tag: 'Workspace',
  summary: 'Read the definition of a chart',
  description:
    "JSON that Stately Studio imports and XState's `createMachine` accepts: states, transitions, and the names of actions, guards, delays and actors. Values computed at run time are left out. `version` is that of the chart.",
  auth: 'viewer',
  params: z.object({ name: z.enum(chartNames) }),
  responses: {
    200: {
      description: 'The definition.',
      media: ['application/json'],
      examples: {
        'application/json': { id: 'call', initial: 'ringing', states: {}, version: '0a1b2c3d4e5f' },
      },
    },
  },
  refusals: [],
}).handledBy(({ params }, { operation: { chartDefinitions } }) => ({
  status: 200,
  media: 'application/json',
  headers: { 'Cache-Control': 'private, no-cache' },
  body: chartDefinitions(params.name),
}));
