import { runTogether } from '#test/helpers/together/run-together.ts';

runTogether('console');
