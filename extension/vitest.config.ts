import { defineConfig } from 'vitest/config';

// Without isolation all files share one jsdom: each cleans up after itself, and a tenth of the time does.
export default defineConfig({
  test: { include: ['test/**/*.test.ts'], environment: 'jsdom', pool: 'threads', isolate: false }
});
