// Runs the models NAME.onnx of a folder on the inputs of NAME.json, and writes their outputs to NAME.out.json. An input is {type, dims, data}; numbers that are null are NaN.
const ort = require('onnxruntime-node');
const fs = require('fs');
const path = require('path');

async function main(folder) {
  for (const file of fs.readdirSync(folder)) {
    if (!file.endsWith('.onnx')) continue;
    const name = path.join(folder, file.slice(0, -'.onnx'.length));
    const result = {};
    try {
      const session = await ort.InferenceSession.create(name + '.onnx', {intraOpNumThreads: 1, logSeverityLevel: 3});
      const feeds = {};
      for (const [key, v] of Object.entries(JSON.parse(fs.readFileSync(name + '.json')))) {
        feeds[key] = new ort.Tensor(v.type, v.type === 'string' ? v.data : Float64Array.from(v.data, (x) => x === null ? NaN : x), v.dims);
      }
      for (const [key, v] of Object.entries(await session.run(feeds))) {
        result[key] = {dims: v.dims, data: Array.from(v.data, (x) => typeof x === 'number' && !Number.isFinite(x) ? null : x)};
      }
    } catch (e) {
      result.error = {message: String(e.message || e)};
    }
    fs.writeFileSync(name + '.out.json', JSON.stringify(result));
  }
}

main(process.argv[2]);
