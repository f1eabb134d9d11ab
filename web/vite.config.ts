import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where `npm run dev:web` finds a server to show: one started with `npm start`. */
const SERVER = process.env.PUNCTUAL_URL ?? "http://127.0.0.1:7420";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind()],
  // The page uses the client as everybody does, in the version of this very source.
  resolve: { alias: { "punctual/client": `${import.meta.dirname}/../src/client/index.ts` } },
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    // The policy of the page allows no data: of scripts and styles, and a file of its own is cached.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: ["chrome125", "firefox128", "safari17.5"],
    manifest: "manifest.json",
  },
  server: {
    proxy: Object.fromEntries(["/api", "/docs", "/openapi.json", "/dev"].map((path) => [path, SERVER])),
  },
});
