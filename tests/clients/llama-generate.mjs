// SPDX-License-Identifier: MIT
//
// A program as users have it: llama.cpp's Vulkan backend (npm package node-llama-cpp) loads a model, all
// layers on the GPU, and generates text from it. Its own memory estimate is off, because that would
// choose fewer layers where the card is small: here the driver has the word.
//
//     node llama-generate.mjs PACKAGES MODEL COUNT RESULT
//
// PACKAGES is the folder that holds node_modules; RESULT gets {"device", "vram", "tokens", "text"} as
// JSON when everything went well, and is not written otherwise. Exit code 0 only then.
import fs from "node:fs";
import path from "node:path";
import {pathToFileURL} from "node:url";

const [packages, modelPath, countText, resultPath] = process.argv.slice(2);
if (!resultPath) {
    console.error("usage: node llama-generate.mjs PACKAGES MODEL COUNT RESULT");
    process.exit(2);
}
const count = Number(countText);

// The packages live in a cache outside the tree, where an import by name would not find them.
const entry = path.join(packages, "node_modules", "node-llama-cpp", "dist", "index.js");
const {getLlama, LlamaLogLevel} = await import(pathToFileURL(path.resolve(entry)));

const contextSize = 512;
const prompt = [1, ...Array.from({length: 24}, (_, i) => 300 + (i * 37) % 3500)];

async function generate(llama) {
    // No memory map: the weights are read and then uploaded, so host memory isn't counted twice.
    const model = await llama.loadModel({
        modelPath, gpuLayers: 999, ignoreMemorySafetyChecks: true, useMmap: false,
    });
    const context = await model.createContext({
        contextSize, batchSize: 256, sequences: 1, threads: 2, ignoreMemorySafetyChecks: true,
    });
    const tokens = [];
    for await (const token of context.getSequence().evaluate(prompt, {temperature: 0, yieldEogToken: true})) {
        tokens.push(token);
        if (tokens.length % 16 === 0)
            console.log(`${tokens.length} of ${count} tokens`);
        if (tokens.length >= count)
            break;
    }
    const result = {
        device: (await llama.getGpuDeviceNames())[0],
        vram: await llama.getVramState(),
        tokens,
        text: model.detokenize(tokens),
    };
    await context.dispose();
    await model.dispose();
    return result;
}

try {
    const llama = await getLlama({
        gpu: "vulkan", build: "never", skipDownload: true, usePrebuiltBinaries: true, vramPadding: 0,
        logLevel: LlamaLogLevel.warn, progressLogs: false,
    });
    // Without a GPU llama.cpp quietly computes on the CPU, which would prove nothing.
    if ((await llama.getGpuDeviceNames()).length === 0)
        throw new Error("found no Vulkan device that it would use");
    const result = await generate(llama);
    await llama.dispose();
    fs.writeFileSync(resultPath, JSON.stringify(result) + "\n");
} catch (error) {
    console.error(`llama.cpp: ${error.message}`);
    process.exitCode = 1;
}
